import { expect, test } from 'vitest'
import type { ConnectionStatus } from '../../provider-calls/calls/index.ts'
import { type ConnectionEvent, nextStatus } from './model.ts'

const table: [ConnectionStatus, ConnectionEvent, ConnectionStatus][] = [
  ['created', 'generated', 'created'],
  ['created', 'refreshed', 'created'],
  ['created', 'succeeded', 'working'],
  ['created', 'credentials', 'bad_credentials'],
  ['working', 'generated', 'created'],
  ['working', 'refreshed', 'created'],
  ['working', 'succeeded', 'working'],
  ['working', 'credentials', 'bad_credentials'],
  ['created', 'readdressed', 'created'],
  ['working', 'readdressed', 'working'],
  ['bad_credentials', 'readdressed', 'created'],
  ['bad_credentials', 'generated', 'created'],
  ['bad_credentials', 'refreshed', 'created'],
  ['bad_credentials', 'succeeded', 'working'],
  ['bad_credentials', 'credentials', 'bad_credentials'],
]

test.each(table)('a connection that is %s becomes, when %s, %s', (from, event, to) => {
  expect(nextStatus(from, event)).toBe(to)
})
