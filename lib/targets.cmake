# attn_configure(TARGET) sets the compiler options of all our targets. The digits depend on
# -ffp-contract=off: a product and a sum are fused only where the source says std::fma, so that every compiler
# gives the same bits.
function(attn_configure target)
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF UNITY_BUILD OFF)
    # gcc collects its garbage later: a tenth less time for up to a gigabyte.
    target_compile_options(${target} PRIVATE -ffp-contract=off ${ATTN_WARNINGS}
        $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>)
    if(ATTN_SANITIZERS)
        target_compile_options(${target} PRIVATE
            -fsanitize=${ATTN_SANITIZERS} -fno-sanitize-recover=all -fno-omit-frame-pointer)
        target_link_options(${target} PUBLIC -fsanitize=${ATTN_SANITIZERS})
    endif()
    attn_join_sources(${target})
endfunction()

# With CMAKE_UNITY_BUILD, compiles many sources as one file, because headers take more time than the sources
# themselves; tests/sources/check_names.py checks the names that must differ for that. CMake's own unity build
# counts files; here the parts have about the same size.
function(attn_join_sources target)
    if(NOT CMAKE_UNITY_BUILD)
        return()
    endif()
    set(most_bytes 150000)  # of a joined file: fewer compile in less time, more are sooner compiled again
    if(ATTN_JOINED_BYTES)
        set(most_bytes ${ATTN_JOINED_BYTES})
    endif()
    get_target_property(sources ${target} SOURCES)
    set(others ${sources})
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    # What replaces parts of the system must not be inlined into what calls it.
    list(FILTER sources EXCLUDE REGEX "/unit/main\\.cpp$|web/system/")
    list(REMOVE_ITEM others ${sources})
    set(all_bytes 1)
    foreach(source IN LISTS sources)
        cmake_path(ABSOLUTE_PATH source)
        file(SIZE "${source}" size)
        math(EXPR all_bytes "${all_bytes} + ${size}")
    endforeach()
    math(EXPR parts "${all_bytes} / ${most_bytes} + 1")
    set(bytes 0)
    set(groups "")
    foreach(source IN LISTS sources)
        cmake_path(ABSOLUTE_PATH source)
        file(SIZE "${source}" size)
        math(EXPR bytes "${bytes} + ${size}")
        math(EXPR group "${bytes} * ${parts} / ${all_bytes}")
        string(APPEND text_of_${group} "#include \"${source}\"\n")
        list(APPEND groups ${group})
    endforeach()
    list(REMOVE_DUPLICATES groups)
    set(joined "")
    foreach(group IN LISTS groups)
        set(file "${CMAKE_CURRENT_BINARY_DIR}/${target}/unity_${group}.cxx")
        file(CONFIGURE OUTPUT "${file}" CONTENT "${text_of_${group}}" @ONLY)
        list(APPEND joined "${file}")
    endforeach()
    set_target_properties(${target} PROPERTIES SOURCES "${joined};${others}")
endfunction()

# Kernels are a fifth faster with -O3 than with -O2; around them, on small tensors, levels make no difference,
# and -O1 compiles in half of the time. The rest of the program starts and ends before anyone notices; gcc
# compiles it sooner with -Og, which inlines too little to search quickly.
set(optimised $<$<CONFIG:Release,MinSizeRel>:-O3>)
set(around_kernels $<$<CONFIG:Release,MinSizeRel>:-O1>)
set(inlining "-finline-functions-called-once;-finline-small-functions")
set(started_once $<$<CONFIG:Release>:-Og>$<$<CONFIG:RelWithDebInfo>:-O1>
    "$<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:${inlining}>")

# Kernels (*_kernel.cpp) are compiled once per instruction set level, each time in the level's namespace;
# tensor/levels.cpp selects one at run time. Other architectures than x86-64 have one level. The vector width
# is set explicitly, because compilers would use only half of it.
set(levels baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" AND NOT CMAKE_OSX_ARCHITECTURES)
    list(APPEND levels v3 v4)
endif()
set(flags_of_v3 -march=x86-64-v3)
set(flags_of_v4 -march=x86-64-v4 -mprefer-vector-width=512)

# attn_add_kernels(TARGET SOURCE…) adds the sources to the target once per level.
function(attn_add_kernels target)
    foreach(level IN LISTS levels)
        set(objects ${target}-kernels-${level})
        add_library(${objects} OBJECT ${ARGN})
        target_include_directories(${objects} PRIVATE "${PROJECT_SOURCE_DIR}/lib")
        target_compile_definitions(${objects} PRIVATE ATTN_LEVEL=${level})
        attn_configure(${objects})
        target_compile_options(${objects} PRIVATE ${optimised} ${flags_of_${level}})
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
    endforeach()
    if(v3 IN_LIST levels)
        target_compile_definitions(${target} PRIVATE ATTN_X86_LEVELS)
    endif()
endfunction()
