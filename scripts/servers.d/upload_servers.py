"""Servers of uploads, of PyPI."""
import re
from urllib.parse import urlsplit

from apps import MOTO, TUSPYSERVER
from harness import PYTHON, Server, row, same, tern


def tuspyserver():
    return Server(PYTHON, "-c", TUSPYSERVER, "{port}", "{folder}/files", files={"files/.keep": ""})


def uploads(server):
    content = b"tern" * 250_000
    (server.folder / "up.bin").write_bytes(content)
    done = tern("--resumable", "tus", server.folder / "up.bin", server.url("/files/"), command="upload")
    stored = [path for path in (server.folder / "files").iterdir() if path.is_file() and path.read_bytes() == content]
    same((done.status, len(stored)), (0, 1), done)


@row("tuspyserver 4.4.3", "Answers requests without `Tus-Resumable: 1.0.0` by 412 and Tus-Version", "Uploads name the version.")
def tuspyserver_version():
    with tuspyserver() as server:
        answer = server.ask("HEAD", "/files/none")
        same((answer.status, answer["tus-version"]), (412, "1.0.0"))
        uploads(server)


@row(
    "tuspyserver 4.4.3", "Answers HEAD by 400 for an upload that was created without the metadata `filename` and `filetype`",
    "Uploads have both names.")
def tuspyserver_metadata():
    with tuspyserver() as server:
        fields = ["Tus-Resumable: 1.0.0", "Upload-Length: 5", "Content-Length: 0"]
        named = ["Upload-Metadata: filename YS50eHQ=,filetype dGV4dC9wbGFpbg=="]
        for metadata, status in (([], 400), (named, 200)):
            created = server.ask("POST", "/files/", fields + metadata)
            same(created.status, 201)
            same(server.ask("HEAD", urlsplit(created["location"]).path, fields[:1]).status, status)
        uploads(server)


SIGNED = (
    "Authorization: AWS4-HMAC-SHA256 Credential=a/20261130/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=00")


def moto():
    return Server(PYTHON, "-c", MOTO, "{port}")


def put(server, path, content, *fields):
    answer = server.ask("PUT", path, [SIGNED, f"Content-Length: {len(content)}", *fields], content)
    same(answer.status, 200, answer)
    return answer["etag"]


@row(
    "moto 5.2.5", "Does not read If-Range: sends the part whatever the tag",
    "A download that has no tag for the bytes of a file begins anew.")
def moto_if_range():
    with moto() as server:
        put(server, "/bucket", b"")
        tag = put(server, "/bucket/key", b"the new tern\n")
        answer = server.ask("GET", "/bucket/key", [SIGNED, "Range: bytes=4-6", 'If-Range: "old"'])
        same((answer.status, answer.body, answer["etag"]), (206, b"new", tag))
        file = server.folder / "key"
        file.write_bytes(b"an o")
        done = tern("--download", "--continue", "-o", file, server.url("/bucket/key"), SIGNED)
        same((done.status, file.read_bytes()), (0, b"the new tern\n"), done)


@row(
    "moto 5.2.5", "Stores an empty object for content of type `application/x-www-form-urlencoded`",
    "A file is sent with the type of its name.")
def moto_form():
    with moto() as server:
        put(server, "/bucket", b"")
        put(server, "/bucket/form", b"a=b&c", "Content-Type: application/x-www-form-urlencoded")
        put(server, "/bucket/bytes", b"a=b&c", "Content-Type: application/octet-stream")
        (server.folder / "form.txt").write_bytes(b"a=b&c")
        same(tern("PUT", server.url("/bucket/file"), SIGNED, f"@{server.folder}/form.txt").status, 0)
        paths = ("/bucket/form", "/bucket/bytes", "/bucket/file")
        same([server.ask("GET", path, [SIGNED]).body for path in paths], [b"", b"a=b&c", b"a=b&c"])


@row(
    "moto 5.2.5", "Joins the parts of an upload in the order of the list, not of their numbers",
    "The list of parts is in the order of their numbers.", "S3UploadInteropTests")
def moto_parts():
    with moto() as server:
        put(server, "/bucket", b"")
        upload = re.search(b"<UploadId>(.*?)</UploadId>", server.ask("POST", "/bucket/key?uploads", [SIGNED, "Content-Length: 0"]).body)
        name = upload[1].decode()
        tags = {
            number: put(server, f"/bucket/key?partNumber={number}&uploadId={name}", content)
            for number, content in ((1, b"a" * 5_242_880), (2, b"b" * 5_242_880))}
        parts = "".join(f"<Part><PartNumber>{number}</PartNumber><ETag>{tags[number]}</ETag></Part>" for number in (2, 1))
        text = f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>".encode()
        answer = server.ask("POST", f"/bucket/key?uploadId={name}", [SIGNED, f"Content-Length: {len(text)}"], text)
        same(answer.status, 200, answer)
        whole = server.ask("GET", "/bucket/key", [SIGNED]).body
        same((whole[:1], whole[-1:], len(whole)), (b"b", b"a", 10_485_760))
        # Parts that are all different, several at a time.
        film = b"".join(bytes([number]) * 1_000_000 for number in range(22))
        (server.folder / "film.bin").write_bytes(film)
        done = tern(
            "--resumable", "s3", "--auth", "key:secret", "--aws-sigv4", "aws:amz:us-east-1:s3", "--store", server.folder / "store",
            server.folder / "film.bin", server.url("/bucket/film.bin"), command="upload")
        same(done.status, 0, done)
        head = server.ask("HEAD", "/bucket/film.bin", [SIGNED])
        assert int(head["etag"].strip('"').split("-")[1]) > 2, head
        assert server.ask("GET", "/bucket/film.bin", [SIGNED]).body == film, "the parts are joined in another order"
