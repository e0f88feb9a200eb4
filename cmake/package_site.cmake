# Read by cpack before it makes packages: that of the documentation site is made where the site is.
if(EXISTS ${CPACK_TENSOR_CTS_SITE}/index.html)
  list(APPEND CPACK_COMPONENTS_ALL documentation)
endif()
