import HTTPTypes
import SternaCore

extension CookieJar {
    /// Stores the cookies of a response's header section; returns the accepted ones, including expired cookies that removed others.
    @discardableResult
    func store(
        _ section: FieldSection, from url: HTTPURL, isSecure: Bool? = nil, site: CookieSite? = nil
    ) -> [Cookie] {
        store(section.bytes(of: .setCookie), from: url, isSecure: isSecure, site: site)
    }
}
