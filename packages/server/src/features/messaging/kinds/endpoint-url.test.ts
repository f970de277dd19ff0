import { expect, it } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../kernel/net/index.ts'
import { destinationKinds } from './index.ts'

const guard = createAddressGuard({ allow: parseAllowedNetworks('') })
const kinds = destinationKinds.filter(({ properties }) => 'endpointUrl' in properties)

it('some types have an endpoint in place of the public one', () => {
  expect(kinds).not.toEqual([])
})

it.each(kinds.map((kind) => ({ name: kind.name, kind })))(
  '$name: an endpoint with a key in it is refused, and not repeated: responses would show it to viewers',
  ({ kind }) => {
    const issuesOf = (endpointUrl: string) =>
      kind
        .readSettings({ endpointUrl }, 'metadata', { guard })
        .issues.filter(({ name }) => name === 'metadata.endpointUrl')
    for (const rest of ['?sig=never-shown', '#never-shown', 'path?never-shown']) {
      const issues = issuesOf(`https://private.example.com/${rest}`)
      expect(issues).toMatchObject([{ detail: 'metadata.endpointUrl must have no query and no fragment.' }])
      expect(JSON.stringify(issues)).not.toContain('never-shown')
    }
    expect(issuesOf('https://private.example.com/path/')).toEqual([])
  },
)
