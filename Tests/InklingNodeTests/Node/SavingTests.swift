import Testing

@testable import InklingNode

@Suite struct SavingTests {
    @Test func `requests made during a save are served by the next one, in order`() {
        var saving = Saving<Int>()
        #expect(saving.begin() == nil)
        saving.want(1)
        saving.want(2)
        #expect(saving.begin() == [1, 2])
        saving.want(3)
        // Only one save is in progress at a time.
        #expect(saving.begin() == nil)
        #expect(saving.open == [1, 2, 3])
        #expect(saving.end() == [1, 2])
        #expect(saving.begin() == [3])
        #expect(saving.end() == [3])
        #expect(saving.begin() == nil)
        #expect(saving.open == [])
    }
}
