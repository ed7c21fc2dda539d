// Descriptions and dumps stop here: an engine's connections belong to other threads, and their buffers hold requests with credentials.

extension Engine: CustomReflectable {
    /// Only the options.
    public var customMirror: Mirror { Mirror(self, children: ["options": options]) }
}

extension EngineTransport: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension EngineSender: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: []) }
}
