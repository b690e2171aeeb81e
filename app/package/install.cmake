# Defines what cmake --install installs and cpack packs. The CMakeLists.txt at the top includes it.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/attn")
install(TARGETS attn EXPORT attnTargets COMPONENT library INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
foreach(header IN LISTS ATTN_PUBLIC_HEADERS)
    cmake_path(GET header PARENT_PATH folder)
    install(FILES "lib/${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/attn/${folder}" COMPONENT library)
endforeach()
install(EXPORT attnTargets NAMESPACE attn:: DESTINATION "${package_dir}" COMPONENT library)
configure_package_config_file(app/package/attnConfig.cmake.in "${PROJECT_BINARY_DIR}/attnConfig.cmake"
    INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/attnConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/attnConfig.cmake" "${PROJECT_BINARY_DIR}/attnConfigVersion.cmake"
    DESTINATION "${package_dir}" COMPONENT library)
if(NOT ATTN_BUILD_PROGRAM)
    return()
endif()

install(TARGETS attn-walkthrough)
install(FILES README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME copyright)

# The program prints its manual page and its completions during the installation, so it must run on this
# machine. The further arguments are the command that prints the file.
function(attn_install_printed name folder)
    list(JOIN ARGN " " command)
    list(JOIN ARGN "-" kind)
    set(generated "${PROJECT_BINARY_DIR}/generated/${kind}")
    install(CODE "
        file(MAKE_DIRECTORY \"${generated}\")
        execute_process(
            COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} \"$<TARGET_FILE:attn-walkthrough>\" ${command}
            OUTPUT_FILE \"${generated}/${name}\" COMMAND_ERROR_IS_FATAL ANY)")
    install(FILES "${generated}/${name}" DESTINATION "${folder}")
endfunction()
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
    attn_install_printed(attn-walkthrough.1 "${CMAKE_INSTALL_MANDIR}/man1" man)
    set(data "${CMAKE_INSTALL_DATADIR}")
    attn_install_printed(attn-walkthrough "${data}/bash-completion/completions" completion bash)
    attn_install_printed(_attn-walkthrough "${data}/zsh/site-functions" completion zsh)
    attn_install_printed(attn-walkthrough.fish "${data}/fish/vendor_completions.d" completion fish)
endif()

# For cpack -G DEB. The required libraries are read from the program itself.
set(CPACK_PACKAGE_NAME attn-walkthrough)
set(CPACK_PACKAGE_CONTACT "The attn-walkthrough authors")
set(CPACK_PACKAGE_DESCRIPTION 
"Prints every tensor of causal attention digit for digit as PyTorch does, with the
formula and the line of Python that makes it, and says why a reader's own numbers
differ. The library and its headers, for C++ programs, are in the package as well.")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION education)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/app/package/debian.cmake")
include(CPack)
