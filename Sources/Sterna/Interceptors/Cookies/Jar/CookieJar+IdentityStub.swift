extension CookieJar {
    var identity: [UInt8]? { nil }
}
