# Run by cpack before packing: adapts the files to Debian's rules.
if(CPACK_GENERATOR STREQUAL "DEB")
    set(usr "${CPACK_TEMPORARY_DIRECTORY}/usr")
    file(RENAME "${usr}/share/zsh/site-functions" "${usr}/share/zsh/vendor-completions")
    file(GLOB_RECURSE library "${usr}/lib/libattn.a")
    execute_process(COMMAND strip --strip-debug "${library}" COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND gzip -9n "${usr}/share/man/man1/attn-walkthrough.1" COMMAND_ERROR_IS_FATAL ANY)
endif()
