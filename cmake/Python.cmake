# The Python module: a package of src/python/*.py and one library that holds all of trcost. It stands
# ready for PYTHONPATH in the build folder's `python`.
find_package(Python3 REQUIRED COMPONENTS Interpreter Development.Module)
set(PYBIND11_FINDPYTHON ON)
set(Python_EXECUTABLE ${Python3_EXECUTABLE})
find_package(pybind11 2.9 REQUIRED)

pybind11_add_module(trcost_python NO_EXTRAS src/python/module.cpp $<TARGET_OBJECTS:trcost_commands>)
set(python_package ${CMAKE_CURRENT_BINARY_DIR}/python/trcost)
set_target_properties(trcost_python PROPERTIES OUTPUT_NAME _trcost
  LIBRARY_OUTPUT_DIRECTORY ${python_package} LIBRARY_OUTPUT_DIRECTORY_RELEASE ${python_package})
target_include_directories(trcost_python PRIVATE src)
target_link_libraries(trcost_python PRIVATE trcost trcost_cli_dependencies trcost_warnings)
target_compile_definitions(trcost_python PRIVATE TRCOST_VERSION="${PROJECT_VERSION}")

file(GLOB python_sources CONFIGURE_DEPENDS src/python/*.py)
foreach(source IN LISTS python_sources)
  get_filename_component(name ${source} NAME)
  configure_file(${source} ${python_package}/${name} COPYONLY)
endforeach()

set(TRCOST_PYTHON_FOLDER lib/python3/dist-packages CACHE STRING
  "Where cmake --install puts the Python package, below the prefix")
install(TARGETS trcost_python LIBRARY DESTINATION ${TRCOST_PYTHON_FOLDER}/trcost COMPONENT python)
install(FILES ${python_sources} DESTINATION ${TRCOST_PYTHON_FOLDER}/trcost COMPONENT python)
