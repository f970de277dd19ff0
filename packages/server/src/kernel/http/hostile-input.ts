import type { Issue, Part } from './problem.ts'

const issuesMax = 100

/** Result of an inspection: the errors, and the number of values. */
export interface Inspection {
  issues: Issue[]
  /** Objects, arrays and plain values, counted together. */
  values: number
}

interface Step {
  value: unknown
  key: string | number
  parent: Step | undefined
}

/**
 * Finds what no endpoint accepts: text with NUL or half a surrogate pair (PostgreSQL accepts neither), and keys that
 * could change prototypes. Walks without recursion, and builds a path only for an error.
 */
export function inspect(part: Part, value: unknown): Inspection {
  const issues: Issue[] = []
  let values = 0
  const stack: Step[] = [{ value, key: '', parent: undefined }]
  const refuse = (step: Step, detail: (name: string) => string) => {
    const name = nameOfStep(step) || part
    issues.push({ in: part, name, detail: detail(name) })
  }
  for (let step = stack.pop(); step !== undefined && issues.length < issuesMax; step = stack.pop()) {
    const { value: current } = step
    values += 1
    if (typeof current === 'string') {
      if (current.includes('\u0000')) refuse(step, (name) => `${name} must not contain the character NUL.`)
      else if (!current.isWellFormed()) refuse(step, (name) => `${name} must be well-formed Unicode.`)
      continue
    }
    if (typeof current !== 'object' || current === null) continue
    if (Array.isArray(current)) {
      for (let at = current.length - 1; at >= 0; at--) push(current[at], at, step)
      continue
    }
    for (const key of Object.keys(current)) {
      const child: Step = { value: (current as Record<string, unknown>)[key], key, parent: step }
      if (key === '__proto__' || key === 'constructor' || key === 'prototype')
        refuse(child, () => `The key ${key} is not allowed.`)
      else if (key.includes('\u0000') || !key.isWellFormed())
        refuse(step, (name) => `A key in ${name} is not well-formed Unicode without NUL.`)
      else push(child.value, key, step)
    }
  }
  return { issues, values }

  function push(child: unknown, key: string | number, parent: Step) {
    // Numbers and booleans are harmless, and a long list of them must cost nothing.
    if (typeof child === 'string' || (typeof child === 'object' && child !== null))
      stack.push({ value: child, key, parent })
    else values += 1
  }
}

/** `items[0].x`. */
function nameOfStep(step: Step): string {
  const parts: (string | number)[] = []
  for (let at: Step | undefined = step; at?.parent !== undefined; at = at.parent) parts.unshift(at.key)
  return inputName(parts)
}

/** Returns the path of a value in a request, as `items[0].x`: at most 200 characters, and safe to send. */
export function inputName(parts: (string | number)[]): string {
  const name = parts.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${part}` : part),
    '',
  )
  return (name.length > 200 ? `${name.slice(0, 200)}…` : name).toWellFormed()
}
