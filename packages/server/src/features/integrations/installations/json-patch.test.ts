import { expect, test } from 'vitest'
import { applyPatch, type PatchOperation, patchOperationsMax } from './json-patch.ts'

const faultsOf = (doc: unknown, patch: PatchOperation[]) => {
  const result = applyPatch(doc, patch)
  return 'faults' in result ? result.faults : []
}

test('other operations of the standard are refused, each by its index', () => {
  const patch = ['move', 'copy', 'test', 'Add', ''].map((op) => ({ op, path: '/a', value: 1 }))
  expect(faultsOf({ a: 1 }, patch).map(({ index, part }) => [index, part])).toEqual(
    [0, 1, 2, 3, 4].map((i) => [i, 'op']),
  )
})

test.each(['a', 'a/b', '~', '/~', '/~2', '/a~'])('%s is no pointer', (path) => {
  expect(faultsOf({ a: 1 }, [{ op: 'add', path, value: 1 }])).toMatchObject([{ index: 0, part: 'path' }])
})

test.each(['00', '01', '-1', '1e0', ' 1', '4294967290', '99999999999', '-', '0x1'])(
  '%s is no index to replace',
  (token) => {
    expect(faultsOf([1, 2], [{ op: 'replace', path: `/${token}`, value: 1 }])).toMatchObject([{ part: 'path' }])
  },
)

test.each(['/__proto__', '/__proto__/x', '/a/constructor/prototype/x', '/prototype', '/a/__proto__'])(
  '%s reaches no prototype',
  (path) => {
    for (const op of ['add', 'replace', 'remove'])
      expect(faultsOf({ a: {} }, [{ op, path, value: { polluted: true } }])).toMatchObject([{ part: 'path' }])
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false)
  },
)

test('a value cannot carry a prototype in', () => {
  const value = JSON.parse('{"deep":[{"__proto__":{"polluted":true}}]}') as unknown
  expect(faultsOf({}, [{ op: 'add', path: '/a', value }])).toMatchObject([{ part: 'value' }])
})

test('inherited members are not there', () => {
  for (const name of ['toString', 'hasOwnProperty', 'valueOf'])
    for (const op of ['replace', 'remove']) expect(faultsOf({}, [{ op, path: `/${name}`, value: 1 }])).toHaveLength(1)
  expect(faultsOf([], [{ op: 'replace', path: '/length', value: 9 }])).toHaveLength(1)
})

test('a patch that fails at its end leaves nothing behind', () => {
  const doc = { a: { b: 1 } }
  const patch = [
    { op: 'add', path: '/a/c', value: 2 },
    { op: 'remove', path: '/a/b' },
    { op: 'remove', path: '/a/b' },
  ]
  expect(faultsOf(doc, patch)).toMatchObject([{ index: 2, part: 'path' }])
  expect(doc).toEqual({ a: { b: 1 } })
})

test('the result shares nothing with the patch or the document', () => {
  const value = { x: 1 }
  const doc = { kept: { y: 1 } }
  const result = applyPatch(doc, [
    { op: 'add', path: '/one', value },
    { op: 'add', path: '/two', value },
    { op: 'add', path: '/one/z', value: 1 },
  ])
  expect(result).toEqual({ document: { kept: { y: 1 }, one: { x: 1, z: 1 }, two: { x: 1 } } })
  expect(value).toEqual({ x: 1 })
})

test('a patch is bounded in operations, depth and size', () => {
  const add = { op: 'add', path: '/a', value: 1 }
  expect(faultsOf({}, Array(patchOperationsMax).fill(add))).toEqual([])
  expect(faultsOf({}, Array(patchOperationsMax + 1).fill(add))).toHaveLength(1)
  expect(faultsOf({}, [{ op: 'add', path: '/a'.repeat(65), value: 1 }])).toMatchObject([{ part: 'path' }])
  expect(faultsOf({}, [{ op: 'add', path: '/a', value: 'x'.repeat(1_048_577) }])).toHaveLength(1)
})
