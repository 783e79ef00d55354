# SPDX-License-Identifier: Apache-2.0
# One line for each kernel folder.
lutra_kernel(arg_max VARIANTS avx2)
lutra_kernel(batch_matmul SOURCES batch_matmul_ref.cc batch_matmul_float_ref.cc
             VARIANTS sse41 avx2 avxvnni avx512vnni)
lutra_kernel(binary SOURCES binary_ref.cc binary_float_ref.cc VARIANTS sse41 avx2 avx512vnni)
lutra_kernel(bit_unpack VARIANTS sse41 avx2 avx512vbmi)
lutra_kernel(compare VARIANTS avx2)
lutra_kernel(conv_2d SOURCES conv_2d_ref.cc conv_2d_float_ref.cc
             VARIANTS sse41 avx2 avxvnni avx512vnni)
lutra_kernel(conv_2d_uint8)
lutra_kernel(convert VARIANTS avx2)
lutra_kernel(copy SOURCES copy_ref.cc copy_dims.cc VARIANTS sse41 avx2)
lutra_kernel(depthwise_conv_2d SOURCES depthwise_conv_2d_ref.cc depthwise_conv_2d_float_ref.cc
             VARIANTS sse41 avx2 avxvnni avx512vnni)
lutra_kernel(fully_connected SOURCES fully_connected_ref.cc fully_connected_float_ref.cc
             VARIANTS sse41 avx2 avxvnni avx512vnni)
lutra_kernel(fully_connected_uint8)
lutra_kernel(gather)
lutra_kernel(huffman_decode VARIANTS sse41)
lutra_kernel(l2_normalize VARIANTS avx2)
lutra_kernel(log_softmax)
lutra_kernel(lookup VARIANTS sse41 avx2 avx512vbmi)
lutra_kernel(lut_decode VARIANTS sse41 avx2 avx512vbmi)
lutra_kernel(min_max VARIANTS sse41 avx2)
lutra_kernel(pool SOURCES pool_ref.cc pool_float_ref.cc pool_uint8_ref.cc VARIANTS sse41 avx2)
lutra_kernel(prelu VARIANTS avx2)
lutra_kernel(prune_decode VARIANTS sse41 avx2 avx512vbmi)
lutra_kernel(reduce VARIANTS avx2)
lutra_kernel(resize VARIANTS avx2)
lutra_kernel(select VARIANTS sse41 avx2)
lutra_kernel(softmax SOURCES softmax_ref.cc softmax_float_ref.cc VARIANTS avx2)
lutra_kernel(sparse_lut_decode)
lutra_kernel(svdf VARIANTS avx2)
lutra_kernel(transpose_conv SOURCES transpose_conv_ref.cc transpose_conv_float_ref.cc
             VARIANTS sse41 avx2 avxvnni avx512vnni)
lutra_kernel(unary_float)
