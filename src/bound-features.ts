declare const bound: unique symbol

/** What only a service gives that is bound to the operation it is called in. A mark for types alone. */
export type BoundResult<Result> = Result & { readonly [bound]: true }

type BoundService<Service> = {
  [Method in keyof Service]: Service[Method] extends (
    ...input: infer Input
  ) => Promise<infer Result>
    ? (...input: Input) => Promise<BoundResult<Result>>
    : Service[Method]
}

/**
 * The same features, bound to the transaction of one operation where it has one. Their results have a
 * type of their own: an operation that has to give such a result cannot have called a service that
 * works outside of its transaction.
 */
export type BoundFeatures<Features> = { [Name in keyof Features]: BoundService<Features[Name]> }
