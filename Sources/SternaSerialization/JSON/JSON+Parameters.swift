public import SternaCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JSON {
    /// Makes an object from parameters, its members in their order.
    ///
    /// Dates become ISO 8601 text in UTC (`2020-01-02T03:04:05Z`), data base64 text (RFC 4648, section 4), and sets
    /// arrays in ascending order.
    ///
    /// - Throws: ``ParameterError`` with the key path of a number that is not finite, of a date outside the years 0000
    ///   to 9999, or of containers nested deeper than ``maximumDepth``.
    public init(_ parameters: Parameters) throws(ParameterError) {
        self = .object(try Self.object(parameters, depth: 1))
    }

    /// Makes a tree from one value, by the rules of ``init(_:)-(Parameters)``.
    ///
    /// - Throws: ``ParameterError`` as ``init(_:)-(Parameters)`` does.
    public init(_ value: ParameterValue) throws(ParameterError) {
        try self.init(value, depth: 0)
    }

    private init(_ value: ParameterValue, depth: Int) throws(ParameterError) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .number(JSON.Number(value))
        case .unsigned(let value): self = .number(JSON.Number(value))
        case .double(let value):
            guard value.isFinite else { throw ParameterError(.nonFiniteNumber) }
            self = .number(JSON.Number(value))
        case .decimal(let value):
            guard let number = JSON.Number(literal: value.description) else { throw ParameterError(.nonFiniteNumber) }
            self = .number(number)
        case .string(let value): self = .string(value)
        case .date(let value): self = .string(try ParameterText.date(value))
        case .data(let value): self = .string(value.base64EncodedString())
        case .array(let elements): self = .array(try Self.array(elements, depth: depth + 1))
        case .set(let elements):
            self = .array(try Self.array(elements.sorted { $0.precedes($1) }, depth: depth + 1))
        case .dictionary(let parameters): self = .object(try Self.object(parameters, depth: depth + 1))
        }
    }

    private static func object(_ parameters: Parameters, depth: Int) throws(ParameterError) -> JSON.Object {
        guard depth <= maximumDepth else { throw ParameterError(.tooDeep(limit: maximumDepth)) }
        var object = JSON.Object()
        for (key, value) in parameters {
            do {
                object.set(try JSON(value, depth: depth), for: key)
            } catch {
                throw error.under(.key(key))
            }
        }
        return object
    }

    private static func array(_ values: [ParameterValue], depth: Int) throws(ParameterError) -> [JSON] {
        guard depth <= maximumDepth else { throw ParameterError(.tooDeep(limit: maximumDepth)) }
        var elements: [JSON] = []
        elements.reserveCapacity(values.count)
        for index in values.indices {
            do {
                elements.append(try JSON(values[index], depth: depth))
            } catch {
                throw error.under(.index(index))
            }
        }
        return elements
    }
}
