/** The clicks to read: those of the given links, or else of the whole account. */
export type Scope = { accountId: number; linkIds?: readonly number[] | undefined }
