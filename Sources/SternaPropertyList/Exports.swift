// The trees and their serializers, which Sterna itself uses to hide secrets in curl commands.
@_exported public import SternaPropertyListCore
