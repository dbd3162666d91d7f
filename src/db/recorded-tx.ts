import type { Tx } from './transaction.ts'

declare const recorded: unique symbol

/**
 * A transaction that records changes of links. All functions that change a link require one, so
 * that no change lacks a version.
 */
export type RecordedTx = Tx & { readonly [recorded]: true }
