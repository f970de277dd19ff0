import { expect, it } from 'vitest'
import type { Authentication } from '../catalogue/format/authentication.ts'
import { attachCredential } from './auth.ts'

const custom: Authentication = {
  scheme: 'custom',
  headers: { 'X-Api-Key': '{{key}}', Authorization: 'Token {{secret}}', 'X-Other': '{{absent}}' },
  query: { user: '{{user}}' },
  inputs: [{ name: 'key' }, { name: 'secret' }, { name: 'user' }],
}

it('custom inputs fill the declared headers and parameters', () => {
  const values = { key: 'k', secret: '{{user}}', user: 'a b', list: ['x'] }
  expect(attachCredential([custom], { scheme: 'custom', values })).toEqual({
    headers: { 'x-api-key': 'k', authorization: 'Token {{user}}' },
    query: { user: 'a b' },
    secrets: ['k', '{{user}}', 'a b', 'a%20b'],
  })
})

it('nothing is taken from the prototype of the inputs', () => {
  const scheme: Authentication = { ...custom, headers: { 'X-A': '{{constructor}}' }, query: {} }
  expect(attachCredential([scheme], { scheme: 'custom', values: {} }).headers).toEqual({})
})
