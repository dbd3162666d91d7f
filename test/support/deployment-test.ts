import { test } from 'vitest'
import { createDeployment } from './deployment.ts'
import { startPrivatePostgres } from './private-postgres.ts'
import { databaseTest } from './test.ts'

/** Returns a `test` for complete installations: `deployment` with a database per file. */
export function deploymentTest() {
  return databaseTest().extend(
    'deployment',
    { scope: 'file' },
    async ({ database }, { onCleanup }) => {
      const deployment = await createDeployment(database.url, { isMigrated: true })
      onCleanup(deployment.close)
      return deployment
    },
  )
}

/** Like `deploymentTest`, with an own server, `postgres`, that tests may kill or freeze. */
export function privateDeploymentTest() {
  return test
    .extend('makePostgres', { scope: 'file' }, () => startPrivatePostgres)
    .extend('postgres', { scope: 'file' }, async ({ makePostgres }, { onCleanup }) => {
      const postgres = await makePostgres()
      onCleanup(postgres.close)
      return postgres
    })
    .extend('deployment', { scope: 'file' }, async ({ postgres }, { onCleanup }) => {
      const deployment = await createDeployment(postgres.url)
      onCleanup(deployment.close)
      return deployment
    })
}
