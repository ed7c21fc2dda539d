// Names libxml2 to the package manager, which asks pkg-config for its flags. CSternaHTML includes its headers: as a module they
// would bring ICU's along, which differ from those in Foundation's.
