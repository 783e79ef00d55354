#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# slurm_test.sh CONFORMANCE [CASES [RUNNER]]: lutra-array on a real Slurm of three nodes on this machine. A run (on RUNNER the
# whole corpus) gives the bytes of one; a full disk, a clock that is wrong and two commits are named, and nothing is merged.
# With CASES, a campaign of so many, of which a node is killed in the middle, loses nothing; Slurm takes two and a half
# minutes to run the part again. Code 77: Slurm is not installed.
set -eu
conformance=$1 cases=${2:-} runner=${3:-}
array=$(cd "$(dirname "$0")" && pwd)/lutra-array
for program in munged slurmctld slurmd sbatch faketime; do
  PATH=$PATH:/usr/sbin command -v $program > /dev/null || { echo "skipped: found no $program (Debian: slurm-wlm munge faketime)"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: slurmd needs root"; exit 77; }
PATH=$PATH:/usr/sbin
work=$(mktemp -d); cd "$work"; mkdir spool state
export SLURM_CONF="$work/slurm.conf"
unset GTEST_TOTAL_SHARDS GTEST_SHARD_INDEX

stop() {
  scancel --state=RUNNING,PENDING -u root 2> /dev/null || :
  for pid in $(cat ./*.pid 2> /dev/null); do kill -9 "$pid" 2> /dev/null || :; done
  pkill -9 -f "$work" 2> /dev/null || :
  umount "$work/full" 2> /dev/null || :
  cd /; rm -rf "$work"
}
trap stop EXIT
trap 'exit 1' INT TERM
fail() { echo "FAILED: $1"; for log in "$work"/*/*.log; do [ ! -e "$log" ] || { echo "$log:"; tail -n 3 "$log"; }; done; exit 1; }

dd if=/dev/urandom of=key bs=1024 count=1 2> /dev/null; chmod 400 key
free_ports() { # as many ports that nobody has
  port=$((20000 + $$ % 20000))
  for _ in 1 2 3 4; do echo "$port"; port=$((port + 1)); done | paste -sd' ' -
}
read -r control first second third <<END
$(free_ports)
END
host=$(hostname -s)
cat > slurm.conf <<END
ClusterName=lutra
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$control
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool/%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SlurmdParameters=config_overrides
SlurmdTimeout=10
ReturnToService=2
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$first CPUs=1
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$second CPUs=1
NodeName=n3 NodeHostname=$host NodeAddr=127.0.0.1 Port=$third CPUs=1
PartitionName=all Nodes=n1,n2,n3 Default=YES MaxTime=INFINITE State=UP
END
munged --force --key-file="$work/key" --socket="$work/munge.socket" --pid-file="$work/munged.pid" --log-file="$work/munged.log" \
  --seed-file="$work/munged.seed"
slurmctld > slurmctld.out 2>&1
for node in n1 n2 n3; do slurmd -N $node > slurmd-$node.out 2>&1; done
for _ in $(seq 60); do
  [ "$(sinfo -h -o '%T %D' 2> /dev/null)" = "idle 3" ] && break
  sleep 0.5
done
sinfo -h -o '%T %D' | grep -qx 'idle 3' || { cat ./*.out ./*.log; fail "Slurm's nodes are not up"; }

# Removes the text that may differ between a run and its parts.
same() { sed '/"date": /d; /"clock_resolution_ns": /d; /"noise": \[.*\]/d; /"noise": \[$/,/\]/d; /"seconds": /d' "$1"; }
expect_whole() { same whole.json > a; same "$1/whole.json" > b; diff a b > differ || { head -n 20 differ; fail "$1: the parts are not the whole"; }; }
campaign() { echo "$conformance fuzz --cases $cases --seed 7 --jobs 1 --reproducers ''"; }

run="$conformance run --filter 'int8.a*' --jobs 1 --reproducers ''"
[ -z "$runner" ] || run="$conformance run --jobs 1 --timeout 60000 --reproducers '' --runner '$runner'"
eval "$run" --results whole.json > whole.log || fail "$(tail -n 3 whole.log)"
eval "$array" --folder run --shards 7 --watch "$run" || fail "run: the merge has ended with $?"
expect_whole run
echo "a run: the bytes of one"

# From here on a part is spoilt, and the merge must name it. spoil NAME WORDS SAYS: puts WORDS before the
# command of part 2, and expects SAYS.
spoil() {
  cat > "$work/program" <<END
#!/bin/sh
case "\$* " in *"--shard 2/3 "*) exec $2 $conformance "\$@" ;; esac
exec $conformance "\$@"
END
  chmod +x program
  if "$array" --folder "$1" --shards 3 --watch "$work/program" fuzz --cases 30 --ops ADD --seed 7 > "$1.log" 2>&1; then
    cat "$1.log"; fail "$1: merged"
  fi
  [ ! -e "$1/whole.json" ] || fail "$1: wrote a result"
  grep -q "$3" "$1.log" || { cat "$1.log" "$1"/2.log; fail "$1: not named"; }
  echo "$1: $(grep "$3" "$1.log" | tail -n 1 | sed "s|$work/||g")"
}
spoil ahead "faketime -f +1h" "2.json: context: date: found"
spoil behind "faketime -f -1h" "2.json: context: date: found"
mkdir full; mount -t tmpfs -o size=4k tmpfs full; head -c 8192 /dev/zero > full/rest 2> /dev/null || :
mkdir disk; : > disk/2.json; rm disk/2.json; ln -s "$work/full/2.json" disk/2.json
spoil disk "" "disk/2.json: cannot open"
grep -q "No space left" disk/2.log || fail "disk: the part's log has no word of it"
rm disk/2.json; "$array" --folder disk --resume --watch > disk.log || { cat disk.log; fail "disk: not resumed"; }
eval "$conformance fuzz --cases 30 --ops ADD --seed 7 --results whole.json" > /dev/null; expect_whole disk
echo "disk: resumed to the whole"
cat > other <<END
#!/bin/sh
"\$@" || exit
for last; do :; done
sed -i 's/"commit": ".*"/"commit": "0123456789ab"/' "\$last"
END
spoil commits "sh $work/other" "another campaign"
[ -n "$cases" ] || { echo "all passed; no node was killed: give CASES"; exit 0; }
# shellcheck disable=SC2046
eval "$(campaign)" --results whole.json > whole.log || fail "$(tail -n 3 whole.log)"
eval "$array" --folder killed --shards 12 "$(campaign)" || fail "no job"
job=''
until [ -n "$job" ] || [ -e killed/code ]; do
  sleep 0.2
  job=$(squeue -h -t R -w n2 -o %A | head -n 1)
done
[ -n "$job" ] || fail "killed: the parts were done before a node could be; give more CASES"
# Kills the daemon and the processes of step and part, as if the machine died.
kill -9 "$(cat slurmd-n2.pid)"
step=$(pgrep -f "slurmstepd: \\[$job\\.")
for child in $(pgrep -P "$step"); do group=$(ps -o pgid= -p "$child" | tr -d ' '); kill -9 "$step" "-$group" || :; done
echo "killed n2 with $(find killed -name '[0-9]*.json' | wc -l) of 12 parts done"
"$array" --folder killed --watch || fail "killed: the merge has ended with $?"
expect_whole killed
echo "a killed node: nothing lost, nothing doubled"
echo "all passed"
