"""Mesa's driver of Vulkan for the CPU, as a target of IREE's compiler."""

# What the driver says of itself. No name that --iree-vulkan-target knows fits: with other subgroups than the driver's,
# of 8, sums are wrong (ampere, valhall4, adreno), and without storage of 8 and 16 bits narrow types are (adreno, the default).
TARGET = (
    '#hal.device.target<"vulkan", [#hal.executable.target<"vulkan-spirv", "vulkan-spirv-fb", {iree_codegen.target_info = #iree_gpu.target<'
    'arch = "", features = "spirv:v1.6,cap:Shader", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, '
    "subgroup = shuffle|arithmetic, dot = dp4xi8toi32, subgroup_size_choices = [8], max_workgroup_sizes = [1024, 1024, 1024], "
    "max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 32768, max_workgroup_counts = [65535, 65535, 65535]>>}>]>"
)

ENVIRONMENT = {
    "LP_NATIVE_VECTOR_WIDTH": "256",  # bits: subgroups of 8, whatever the processor has
    "LP_NUM_THREADS": "0",  # nothing runs beside the thread that asks
}
