/** The clicks to read: those of the links, or of the entire account if `linkIds` is undefined. */
export type ClickScope = { accountId: number; linkIds?: readonly number[] | undefined }
