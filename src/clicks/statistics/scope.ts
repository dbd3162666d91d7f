/** Whose clicks are read: those of the given links, else of the whole account. */
export type Scope = { accountId: number; linkIds?: readonly number[] | undefined }
