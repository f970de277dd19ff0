import { createHash } from 'node:crypto'

const plain = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/
const keptMax = 80

/**
 * Returns a name that Avro allows. One that has other characters gets a hash, so that different names stay different.
 * None looks like a name of Mortise, and none is `__proto__`, which readers in JavaScript stumble over.
 */
export function avroName(name: string): string {
  if (plain.test(name) && !/^(?:__|_mortise)/i.test(name)) return name
  const kept = name.slice(0, keptMax).replaceAll(/[^A-Za-z0-9_]+/g, '_')
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8)
  return `x_${kept}_${hash}`
}
