// SPDX-License-Identifier: Apache-2.0
// The functions of VtaOperator, for each operator.

#pragma once

#include "delegates/vta/driver/delegate.h"

namespace lutra::vta {

// CONV_2D and DEPTHWISE_CONV_2D.
const char* RefuseConv(const DriverOptions& options, const DelegateNode& node);
Status ConvImages(const Driver& driver, const DelegateNode& node, NodeImages* images);
Status LowerConvNode(const Driver& driver, DelegatePrepareContext& context, const DelegateNode& node,
                     const NodeImages& images, LoweredLayer* layer);

const char* RefuseFullyConnected(const DriverOptions& options, const DelegateNode& node);
Status FullyConnectedImages(const Driver& driver, const DelegateNode& node, NodeImages* images);
Status LowerFullyConnectedNode(const Driver& driver, DelegatePrepareContext& context,
                               const DelegateNode& node, const NodeImages& images, LoweredLayer* layer);

// ADD, QUANTIZE, RELU and RELU6.
const char* RefuseSum(const DriverOptions& options, const DelegateNode& node);
Status SumImages(const Driver& driver, const DelegateNode& node, NodeImages* images);
Status LowerSumNode(const Driver& driver, DelegatePrepareContext& context, const DelegateNode& node,
                    const NodeImages& images, LoweredLayer* layer);

// MAX_POOL_2D and AVERAGE_POOL_2D.
const char* RefusePool(const DriverOptions& options, const DelegateNode& node);
Status PoolImages(const Driver& driver, const DelegateNode& node, NodeImages* images);
Status LowerPoolNode(const Driver& driver, DelegatePrepareContext& context, const DelegateNode& node,
                     const NodeImages& images, LoweredLayer* layer);

}  // namespace lutra::vta
