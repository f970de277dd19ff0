import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { auditedAs } from '../../../kernel/http/index.ts'
import { apiEndpoints, commonEndpoints } from '../../index.ts'

/** No new endpoint can change something without an entry, unless it says why and the documentation lists it. */

const declarations = [...commonEndpoints, ...apiEndpoints].map(({ declaration }) => declaration)
const page = readFileSync(new URL('../../../../../../docs/audit-log.md', import.meta.url), 'utf8')

it('has a verb and a resource for each endpoint that changes something, or a documented reason to leave it out', () => {
  const changing = declarations.filter(({ method }) => method !== 'GET')
  expect(changing.length).toBeGreaterThan(70)
  const silent = changing.filter((declaration) => auditedAs(declaration) === undefined)
  for (const { id, audit, onlyReads } of silent) {
    expect(onlyReads === true || (audit !== undefined && 'exempt' in audit), id).toBe(true)
    expect(page, `docs/audit-log.md does not say that ${id} leaves no entry`).toContain(`\`${id}\``)
  }
  for (const declaration of changing.filter((one) => !silent.includes(one)))
    expect(auditedAs(declaration), declaration.id).toEqual({
      verb: expect.stringMatching(/^[a-z][a-zA-Z]+$/),
      resource: expect.stringMatching(/^[a-z][a-z-]+$/),
    })
})

it('records the GETs that end a sign-in or connect an account', () => {
  const recorded = declarations.filter(({ method, audit }) => method === 'GET' && audit !== undefined)
  expect(recorded.map(({ id }) => id).toSorted()).toEqual([
    'finishSingleSignOn',
    'showCustomAuthCallback',
    'showOAuthCallback',
  ])
})
