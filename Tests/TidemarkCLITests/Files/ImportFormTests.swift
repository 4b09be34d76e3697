import Testing

@Suite struct `The forms of a file to import` {
    @Test(arguments: [
        (#"{"k1":{"a":1},"k/2":{"k":{}}}"#, []),
        (#"{"n":[{}],"x":{"k1":{"a":1},"k/2":{"k":{}}},"y":{"z":{}}}"#, ["--at", "/x"]),
        (#"[5,{"x":{"k1":{"a":1},"k/2":{"k":{}}}}]"#, ["--at", "/1/x"]),
    ])
    func `The members of an object are records, and their keys are pks`(_ text: String, _ options: [String]) throws {
        let shop = try Workshop()
        let run = try shop.run(["import", "--store", "a.db", "notes", "-", "--by-key"] + options, input: text)
        #expect(run.errors == "notes: created 2, edited 0, unchanged 0\n")
        #expect(
            try shop.done("export", "--store", "a.db", "notes")
                == #"{"pk":"k/2","record":{"k":{}}}"# + "\n" + #"{"pk":"k1","record":{"a":1}}"# + "\n")
    }

    @Test(arguments: [
        (#"{"a":{},"a":{}}"#, ":1:13: the pk “a” is also at 1:6"), (#"{"":{}}"#, "the key of this record has 0 bytes"),
        (#"{"a":5}"#, "a record is a JSON object, and this is 5. Name the object with the records with --at"),
        ("[{}]", "If the records are in an array, use --pk instead of --by-key"), ("{} {}", ":1:4: found '{'"),
        (#"{"a":{}"#, "the text ends inside the object"), ("", "is empty"),
    ])
    func `An object that is not one of records is rejected`(_ text: String, _ message: String) throws {
        let shop = try Workshop()
        let run = try shop.run("import", "--store", "a.db", "notes", "-", "--by-key", input: text)
        #expect(run.status == 1)
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test(arguments: ["/_id/$oid", "/a~1b/1"])
    func `The pk is the value at a pointer`(_ pointer: String) throws {
        let shop = try Workshop()
        let text = #"{"_id":{"$oid":"5f"},"a/b":[0,"5f"]}"#
        try shop.done("import", "--store", "a.db", "notes", "-", "--pk", pointer, input: text)
        #expect(try shop.done("get", "--store", "a.db", "notes", "5f") == text + "\n")
    }

    @Test func `Import replaces a known record, and with --merge keeps the members that the file does not name`() throws
    {
        let shop = try Workshop()
        let present = #"{"id":"m","a":1.10,"o":{"x":1,"y":[1,2]},"z":0}"#
        try shop.done("import", "--store", "a.db", "notes", "-", "--pk", "id", input: present)
        let part = #"{"id":"m","o":{"y":[3],"n":null},"new":{}}"#
        let merge = try shop.run("import", "--store", "a.db", "notes", "-", "--pk", "id", "--merge", input: part)
        #expect(merge.errors == "notes: created 0, edited 1, unchanged 0\n")
        let merged = #"{"id":"m","a":1.10,"o":{"x":1,"y":[3],"n":null},"z":0,"new":{}}"#
        #expect(try shop.done("get", "--store", "a.db", "notes", "m") == merged + "\n")
        let again = try shop.run("import", "--store", "a.db", "notes", "-", "--pk", "id", "--merge", input: part)
        #expect(again.errors == "notes: created 0, edited 0, unchanged 1\n")
        try shop.done("import", "--store", "a.db", "notes", "-", "--pk", "id", input: part)
        #expect(try shop.done("get", "--store", "a.db", "notes", "m") == part + "\n")
    }

    @Test(arguments: [["--by-key"], ["--by-key", "--at", ""], []])
    func `Merging combines with each form of a file`(_ options: [String]) throws {
        let shop = try Workshop()
        try shop.done("create", "--store", "a.db", "notes", "k", #"{"a":1}"#)
        let text = options.isEmpty ? #"[{"pk":"k","record":{"b":2}},{"pk":"l","record":{}}]"# : #"{"k":{"b":2},"l":{}}"#
        try shop.done(["import", "--store", "a.db", "notes", "-", "--merge"] + options, input: text)
        #expect(try shop.done("get", "--store", "a.db", "notes", "k") == "{\"a\":1,\"b\":2}\n")
    }
}
