// Names libjpeg-turbo to the package manager, which asks pkg-config for its flags. CSternaCodecs includes its headers.
