import { describe, expectTypeOf, test } from 'vitest'
import type { Operation } from '../../src/http/api/idempotency.ts'
import type { OperationFeatures, Services } from '../../src/services.ts'

type Work = Operation<undefined, unknown, unknown>['work']

describe('the work of an operation that may be in a transaction', () => {
  test('calls the services that it is given', () => {
    expectTypeOf<
      (features: OperationFeatures) => ReturnType<OperationFeatures['links']['create']>
    >().toExtend<Work>()
    expectTypeOf<
      (features: OperationFeatures) => ReturnType<OperationFeatures['channels']['assign']>
    >().toExtend<Work>()
  })

  test('does not compile with services that work outside of the transaction', () => {
    expectTypeOf<() => ReturnType<Services['links']['create']>>().not.toExtend<Work>()
    expectTypeOf<() => ReturnType<Services['channels']['assign']>>().not.toExtend<Work>()
    expectTypeOf<Services['links']>().not.toExtend<OperationFeatures['links']>()
  })

  test('gets what the service gives, with nothing to take off', () => {
    expectTypeOf<OperationFeatures['links']>().toExtend<Services['links']>()
  })
})
