import SternaCore
import SternaSerialization

/// Gives the modules below what they need full Foundation for, unless the program has set something of its own.
package enum FoundationHooks {
    package static let install: Void = {
        #if Foundation
        if HTTPURL.hostEncoder is ASCIIHostEncoder { HTTPURL.hostEncoder = FoundationHostEncoder() }
        if TextEncoding.converter == nil { TextEncoding.converter = FoundationTextConverter() }
        #endif
    }()
}
