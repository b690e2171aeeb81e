# The program for WebAssembly, which has no threads, signals, terminals or packaged libraries.

include("${PROJECT_SOURCE_DIR}/app/package/headers.cmake")
foreach(target Threads::Threads ZLIB::ZLIB)  # app/web/system replaces the functions used
    add_library(${target} INTERFACE IMPORTED GLOBAL)
endforeach()

# attn_take_system(LIST) replaces each source file that has a counterpart of the same path in app/web/system.
function(attn_take_system list)
    set(system "${PROJECT_SOURCE_DIR}/app/web/system")
    set(taken "")
    foreach(source IN LISTS ${list})
        cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE path)
        if(EXISTS "${system}/${path}")
            set(source "${system}/${path}")
        endif()
        list(APPEND taken "${source}")
    endforeach()
    set(${list} "${taken}" PARENT_SCOPE)
endfunction()
