// SPDX-License-Identifier: Apache-2.0
// Runs the steps of the workflows in ci/ in a shell, in a repository with a base and a change.

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>

#include "host/testing/program.h"

namespace lutra::reports {
namespace {

namespace fs = std::filesystem;

// A repository with a model; the branch `change` has `changed` instead of it. The programs are in the path,
// so that nothing is cloned, and a stand-in for `gh` notes how it was called.
class Project {
 public:
  explicit Project(const std::string& changed) {
    const std::string models = LUTRA_SOURCE_DIR "/models/";
    fs::create_directories(folder_ / "bin");
    std::ofstream(folder_ / "bin/gh") << "#!/bin/sh\necho \"$@\" >>'" << (folder_ / "gh.log") << "'\n";
    fs::permissions(folder_ / "bin/gh", fs::perms::owner_all);
    const host::Outcome made = host::RunShell(
        "cd '" + (folder_ / "") +
        "' && git init -q -b main project && cd project && git config user.email a@b && git config user.name "
        "c && "
        "git remote add origin . && mkdir models && cp '" +
        models +
        "sine.tflite' models/m.tflite && git add . && git commit -q -m base && "
        "git fetch -q && git checkout -q -b change && cp '" +
        models + changed + "' models/m.tflite && git add . && git commit -q --allow-empty -m change");
    EXPECT_EQ(made.code, 0) << made.err;
  }

  // Runs lines as the service's shell does.
  host::Outcome Run(const std::string& lines) const {
    const std::string script = folder_ / "step.sh";
    std::ofstream(script) << "set -eu\n" << lines << "\n";
    return host::RunShell("cd '" + (folder_ / "project") + "' && PATH='" + (folder_ / "bin") +
                          "':'" LUTRA_PATH "':$PATH " + variables_ + " sh '" + script + "'");
  }
  void Set(const std::string& name, const std::string& value) { variables_ += name + "='" + value + "' "; }
  std::string Read(const std::string& file) const { return host::ReadAll(folder_ / file); }

 private:
  host::ScratchFolder folder_;
  std::string variables_;
};

// Returns each step's name and exit code. As in the service, the first failing step ends the job, except for
// steps with `if: always()`.
std::map<std::string, int> RunOnGithub(Project* project) {
  const YAML::Node workflow = YAML::LoadFile(LUTRA_SOURCE_DIR "/reports/ci/github.yml");
  for (const auto& variable : workflow["env"]) {
    const std::string name = variable.first.as<std::string>(), value = variable.second.as<std::string>();
    project->Set(name, name == "BASE" ? "origin/main" : name == "PULL" ? "7" : value);
  }
  std::map<std::string, int> codes;
  bool failed = false;
  for (const auto& step : workflow["jobs"]["models"]["steps"]) {
    if (!step["run"] || (failed && !step["if"])) continue;
    const host::Outcome outcome = project->Run(step["run"].as<std::string>());
    codes[step["name"].as<std::string>()] = outcome.code;
    failed |= outcome.code != 0;
    EXPECT_TRUE(outcome.code == 0 || outcome.code == 1) << outcome.err;
  }
  return codes;
}

host::Outcome RunOnGitlab(Project* project) {
  const YAML::Node file = YAML::LoadFile(LUTRA_SOURCE_DIR "/reports/ci/gitlab.yml");
  for (const auto& variable : file["variables"])
    project->Set(variable.first.as<std::string>(), variable.second.as<std::string>());
  project->Set("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main");
  std::string script;
  for (const char* part : {"before_script", "script"}) {
    for (const auto& line : file["models"][part]) script += line.as<std::string>() + "\n";
  }
  return project->Run(script);
}

TEST(Ci, GithubPassesWhatDoesNotChange) {
  Project project("sine.tflite");
  for (const auto& [step, code] : RunOnGithub(&project)) EXPECT_EQ(code, 0) << step;
  EXPECT_NE(project.Read("project/lint.sarif").find("\"2.1.0\""), std::string::npos);
  EXPECT_EQ(project.Read("gh.log"), "pr comment 7 --edit-last --create-if-none --body-file comment.md\n");
}

TEST(Ci, GithubFailsWhereTheArenaGrows) {
  Project project("ad.tflite");
  auto codes = RunOnGithub(&project);
  EXPECT_EQ(codes["measure"], 0);
  EXPECT_EQ(codes["compare"], 1);
  EXPECT_EQ(codes["comment"], 0) << "it is written all the same";
  const std::string comment = project.Read("project/comment.md");
  EXPECT_NE(comment.find("arena"), std::string::npos) << comment;
  EXPECT_NE(project.Read("gh.log"), "");
}

TEST(Ci, GitlabPassesWhatDoesNotChange) {
  Project project("sine.tflite");
  const host::Outcome outcome = RunOnGitlab(&project);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(project.Read("project/gate.xml").find("<failure"), std::string::npos);
}

TEST(Ci, GitlabFailsWhereTheArenaGrows) {
  Project project("ad.tflite");
  EXPECT_EQ(RunOnGitlab(&project).code, 1);
  EXPECT_NE(project.Read("project/gate.xml").find("<failure"), std::string::npos);
  EXPECT_NE(project.Read("project/comment.md"), "");
}

TEST(Ci, WorkflowsAreShort) {
  for (const char* name : {"github.yml", "gitlab.yml"}) {
    const std::string text = host::ReadAll(std::string(LUTRA_SOURCE_DIR "/reports/ci/") + name);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 40) << name;
  }
}

// On a system without apt, `dev` names what is missing, and installs nothing.
TEST(Dev, NamesWhatIsMissingWhereThereIsNoApt) {
  const host::ScratchFolder folder;
  const std::string tools = folder / "tools";
  fs::create_directory(tools);
  for (const char* tool : {"sh", "dirname", "cat", "cmake"}) {
    const host::Outcome where = host::RunShell(std::string("command -v ") + tool);
    fs::create_symlink(where.out.substr(0, where.out.find('\n')), tools + "/" + tool);
  }
  // This compiler finds no header but fmt's.
  std::ofstream(tools + "/c++") << "#!/bin/sh\ncase \"$(cat)\" in *fmt/format.h*) exit 0;; esac\nexit 1\n";
  fs::permissions(tools + "/c++", fs::perms::owner_all);
  const host::Outcome outcome = host::RunShell("PATH='" + tools + "' ./dev bench");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(
                "dev: missing here, by Debian's names: flatbuffers-compiler libcli11-dev "
                "libflatbuffers-dev libpugixml-dev libssl-dev libsqlite3-dev libyaml-cpp-dev ninja-build "
                "nlohmann-json3-dev"),
            std::string::npos)
      << outcome.err;
}

// `dev firmware` reports these errors before it installs and builds.
TEST(Dev, RefusesFirmwareThatItCannotMake) {
  const std::pair<const char*, std::pair<int, const char*>> cases[] = {
      {"", {2, "dev: firmware: required: at least one model"}},
      {"nothing.tflite", {3, "nothing.tflite: model: it cannot be read"}},
      {"models", {3, "models: model: it cannot be read"}},
      {"models/sine.tflite --platform aarch64", {2, "dev: firmware: found platform aarch64"}},
      {"models/sine.tflite --platform=", {2, "dev: firmware: found platform , required"}},
      {"models/sine.tflite --memory", {2, "dev: firmware: --memory: required: a value"}},
      {"models/sine.tflite --memory=large",
       {2, "dev: firmware: found --memory large, required: small or fast"}},
      {"--bogus models/sine.tflite", {2, "dev: firmware: unknown option --bogus"}},
  };
  for (const auto& [arguments, expected] : cases) {
    const host::Outcome outcome = host::RunShell(std::string("./dev firmware ") + arguments);
    EXPECT_EQ(outcome.code, expected.first) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_EQ(outcome.err.find(expected.second), 0) << arguments << ": " << outcome.err;
  }
}

}  // namespace
}  // namespace lutra::reports
