import type { Tx } from '../../db/transaction.ts'

declare const recorded: unique symbol

/**
 * A transaction that records changes of links. Every function that changes a link requires one, so
 * that every change becomes a version.
 */
export type RecordedTx = Tx & { readonly [recorded]: true }
