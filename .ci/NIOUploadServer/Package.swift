// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the library does not depend on swift-nio-extras. The server does not use Sterna: with it in the package, the
// root's checkouts and objects serve here as well.
let package = Package(
    name: "nio-upload-server",
    dependencies: [
        .package(name: "sterna", path: "../.."),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .executableTarget(
            name: "NIOUploadServer",
            dependencies: [
                .product(name: "Sterna", package: "sterna"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOResumableUpload", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ])
    ]
)
