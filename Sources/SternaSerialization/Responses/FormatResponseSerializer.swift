/// A serializer of the library whose format has trees and `Decodable` values, so that each can be read with the other's settings.
package protocol FormatResponseSerializer: ResponseSerializer {
    associatedtype Tree: FormatResponseSerializer

    var validation: ResponseValidation { get set }

    /// The serializer of the format's trees, with this one's settings.
    var tree: Tree { get }

    /// Returns the serializer of `Decodable` values in this format, with this one's settings.
    ///
    /// - Parameters:
    ///   - validation: the acceptable statuses and media types.
    ///   - decoding: the decoding settings, if this serializer has none of its own.
    func decoding<T: Decodable & Sendable>(
        _ type: T.Type, _ validation: ResponseValidation, _ decoding: DecodingSettings
    ) -> any ResponseSerializer<T>
}

extension JSONResponseSerializer: FormatResponseSerializer {
    package var tree: JSONResponseSerializer { self }

    package func decoding<T: Decodable & Sendable>(
        _ type: T.Type, _ validation: ResponseValidation, _ decoding: DecodingSettings
    ) -> any ResponseSerializer<T> {
        var serializer = DecodableResponseSerializer<T>(
            validation: validation, decoding: decoding, preprocessors: preprocessors, allowsFragments: allowsFragments)
        serializer.limits = limits
        return serializer
    }
}

extension DecodableResponseSerializer: FormatResponseSerializer {
    package var tree: JSONResponseSerializer {
        var serializer = JSONResponseSerializer(
            validation: validation, preprocessors: preprocessors, allowsFragments: allowsFragments)
        serializer.limits = limits
        return serializer
    }

    package func decoding<T: Decodable & Sendable>(
        _ type: T.Type, _ validation: ResponseValidation, _ decoding: DecodingSettings
    ) -> any ResponseSerializer<T> {
        tree.decoding(type, validation, self.decoding.isDefault ? decoding : self.decoding)
    }
}

extension DecodingSettings {
    /// Whether all settings have their defaults.
    var isDefault: Bool {
        switch (keys, dates, data) {
        case (.asIs, .deferred, .base64): nonFiniteNumbers == nil
        default: false
        }
    }
}
