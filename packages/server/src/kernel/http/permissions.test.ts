import { expect, it } from 'vitest'
import { isAtLeast, needsRole, orgRoles } from './org-roles.ts'
import { type Access, isForFrontends, neededRole, permissions } from './permissions.ts'

const accesses = Object.keys(permissions) as Access[]

it('a role may call whatever a lower role may call', () => {
  for (const access of accesses)
    for (const [at, role] of orgRoles.entries())
      for (const lower of orgRoles.slice(0, at))
        if (permissions[access][lower] === 'allow')
          expect([access, permissions[access][role]]).toEqual([access, 'allow'])
})

it('the role that a row needs is the lowest that it admits', () => {
  expect(Object.fromEntries(accesses.map((access) => [access, neededRole(access)]))).toEqual({
    public: 'viewer',
    frontendView: 'viewer',
    frontendOperate: 'operator',
    frontendDevelop: 'developer',
    view: 'viewer',
    operate: 'operator',
    develop: 'developer',
    agent: 'developer',
    account: 'viewer',
    builder: 'viewer',
    member: 'viewer',
    owner: 'owner',
    ownerOrKey: 'owner',
  })
})

it('rows for front ends and agents are those that a consumer token may call', () => {
  for (const access of accesses.filter((one) => one !== 'public'))
    expect([access, isForFrontends(access) || access === 'agent']).toEqual([
      access,
      permissions[access].consumer === 'allow',
    ])
})

it('a person without a role has none', () => {
  expect(orgRoles.map((role) => isAtLeast(undefined, role))).toEqual([false, false, false, false])
  expect(isAtLeast('developer', 'operator')).toBe(true)
  expect(isAtLeast('operator', 'developer')).toBe(false)
  expect(needsRole('operator', undefined).occurrence.context).toEqual({ neededRole: 'operator' })
})
