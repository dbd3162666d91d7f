import type { Tx } from '../../db/transaction.ts'

declare const recorded: unique symbol

/**
 * A transaction that records what changes in links. Every function that changes a link demands one, so that
 * no change can go without its version.
 */
export type RecordedTx = Tx & { readonly [recorded]: true }
