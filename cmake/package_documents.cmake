# SPDX-License-Identifier: Apache-2.0
# Run by CPack before it makes packages of the staged trees (packages.cmake).
file(GLOB trees LIST_DIRECTORIES ON ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(tree IN LISTS trees)
  get_filename_component(component ${tree} NAME)
  string(TOUPPER ${component} c)
  set(package ${CPACK_DEBIAN_${c}_PACKAGE_NAME})
  if(NOT package)
    continue()
  endif()
  set(documents ${tree}/usr/share/doc/${package})
  file(MAKE_DIRECTORY ${documents})
  file(READ ${CPACK_MBC_SOURCE}/NOTICE notice)
  file(WRITE ${documents}/copyright
    "${notice}\nOn Debian systems the text of the Apache License 2.0 is /usr/share/common-licenses/Apache-2.0.\n")
  file(REMOVE ${documents}/LICENSE ${documents}/NOTICE)
  file(WRITE ${documents}/changelog
    "mbc (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n  * This version.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(GLOB texts ${documents}/changelog ${tree}/usr/share/man/man1/*.1)
  execute_process(COMMAND gzip -9nf ${texts} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE plain ${documents}/*)
  file(CHMOD ${plain} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endforeach()
