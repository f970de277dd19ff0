import { expect, it } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../kernel/net/index.ts'
import { kindOf } from '../kinds/index.ts'
import { readJoined } from './request-settings.ts'

it('a type whose client is not installed is an issue, which names the package and how to install it', () => {
  const guard = createAddressGuard({ allow: parseAllowedNetworks('') })
  const kind = { ...kindOf('sqs'), clientPackages: ['@aws-sdk/client-sqs', '@mortise/no-such-client'] }
  expect(readJoined(kind, {}, 'destination.', { guard }).issues[0]).toEqual({
    in: 'body',
    name: 'destination.type',
    detail: 'Destinations of type sqs need the package @mortise/no-such-client, which is not installed.',
    remedy: expect.stringContaining('npm install --include=optional'),
  })
  expect(readJoined(kindOf('sqs'), {}, '', { guard }).issues.map(({ name }) => name)).not.toContain('type')
})
