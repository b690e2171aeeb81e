# The program for WebAssembly, where the system has no threads, signals, terminals, and no libraries in packages.

include("${PROJECT_SOURCE_DIR}/app/package/headers.cmake")
foreach(target Threads::Threads ZLIB::ZLIB)  # what is called of them stands in app/web/system
    add_library(${target} INTERFACE IMPORTED GLOBAL)
endforeach()

# A source file that has one of the same path in app/web/system is left out for it.
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
