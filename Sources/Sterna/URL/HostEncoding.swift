import SternaCore

/// Gives the URL parser Foundation's IDNA, unless the program has set an encoder of its own.
enum HostEncoding {
    static let install: Void = {
        #if Foundation
        if HTTPURL.hostEncoder is ASCIIHostEncoder { HTTPURL.hostEncoder = FoundationHostEncoder() }
        #endif
    }()
}
