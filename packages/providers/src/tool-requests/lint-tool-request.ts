import type { Flaw } from '../catalogue/flaw.ts'
import { compileCondition } from '../interpreter/condition.ts'
import { isObject } from '../interpreter/path.ts'
import { parseTemplate, templateFault } from '../interpreter/template.ts'
import { compileToolRequest } from './compile-tool-request.ts'
import { isToolHeader } from './tool-header.ts'
import type { ToolRequest } from './tool-request.ts'

/** A flaw of a request: `template` is about variables, `header` about names of headers, `request` about the rest. */
export interface ToolRequestFlaw extends Flaw {
  kind: 'request' | 'template' | 'header'
}

/** What the schema of the arguments says about a variable. */
export interface KnownVariables {
  /** Why a request cannot use the variable; undefined if it can. */
  fault(name: string): string | undefined
  /** Why the path cannot use it: there, it must always have a value of one segment. */
  pathFault(name: string): string | undefined
  /** Why no text of the body can contain it: it may be null, which has no text. */
  bodyTextFault(name: string): string | undefined
}

/** Keys of a body whose value is the name of a variable. */
const naming = new Set(['$value', '$spread', '$each', '$row', '$of'])

/** Returns all that is wrong with a request whose keys have the right types, each with its place. */
export function lintToolRequest(request: ToolRequest, variables: KnownVariables): ToolRequestFlaw[] {
  const flaws: ToolRequestFlaw[] = []
  const add = (kind: ToolRequestFlaw['kind'], path: Flaw['path'], message: string | undefined) => {
    if (message !== undefined) flaws.push({ kind, path, message })
  }
  const use = (path: Flaw['path'], name: string, inItem: boolean) => {
    if (!inItem || (name !== 'item' && !name.startsWith('item.'))) add('template', path, variables.fault(name))
  }
  const text = (path: Flaw['path'], value: string, inItem = false) => {
    const fault = templateFault(value)
    add('template', path, fault)
    if (fault !== undefined) return
    for (const name of parseTemplate(value).variables) {
      use(path, name, inItem)
      if (path[0] === 'body') add('template', path, variables.bodyTextFault(name))
    }
  }
  const walk = (path: Flaw['path'], value: unknown, inItem: boolean): void => {
    if (typeof value === 'string') text(path, value, inItem)
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) walk([...path, index], item, inItem)
    else if (isObject(value))
      for (const [key, item] of Object.entries(value)) {
        const at = [...path, key]
        if (naming.has(key) || (key === '$when' && typeof item === 'string')) {
          if (typeof item === 'string') use(at, item, inItem)
          else add('template', at, 'must be the name of a variable')
        } else if (key === '$when' && isObject(item)) {
          for (const name of Object.keys(item)) use(at, name, inItem)
          add(
            'request',
            at,
            compileFault(() => compileCondition(item)),
          )
        } else {
          text(at, key, inItem)
          walk(at, item, inItem || key === '$item' || key === '$key')
        }
      }
  }

  // A request without a path has another error, and its other parts may have some, too.
  if (request.path !== '') lintPath(request.path, add, variables)
  for (const [name, value] of Object.entries(request.query ?? {})) walk(['query', name], value, false)
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    if (!isToolHeader(name)) add('header', ['headers', name], `the header ${JSON.stringify(name)} cannot be sent`)
    text(['headers', name], value)
  }
  walk(['body'], request.body, false)
  if ((request.method ?? 'GET') === 'GET' || request.method === 'HEAD')
    if (request.body !== undefined) add('request', ['body'], 'a request with GET or HEAD has no body')
  if (flaws.length === 0 && request.path !== '')
    add(
      'request',
      [],
      compileFault(() => compileToolRequest(request)),
    )
  return flaws
}

function lintPath(
  path: string,
  add: (kind: ToolRequestFlaw['kind'], path: Flaw['path'], message: string | undefined) => void,
  variables: KnownVariables,
): void {
  const fault = templateFault(path)
  add('template', ['path'], fault)
  if (fault !== undefined) return
  const { parts } = parseTemplate(path)
  const literal = parts.map((part) => (typeof part === 'string' ? part : 'x')).join('')
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(literal) || /[?#\\]/.test(literal))
    add('request', ['path'], 'starts with one "/", and has no spaces, "\\", "?" or "#"; parameters belong to `query`')
  if (/(?:^|\/|%2f)(?:\.|%2e){1,2}(?:$|\/|%2f)/i.test(literal)) add('request', ['path'], 'has no "." and ".." segments')
  for (const part of parts) {
    if (typeof part === 'string') continue
    if (part.filter === 'path') add('template', ['path'], 'the filter `path` is not for requests of tools')
    add('template', ['path'], variables.fault(part.name) ?? variables.pathFault(part.name))
  }
}

/** What only compiling finds, such as a pattern of a condition. */
function compileFault(compile: () => unknown): string | undefined {
  try {
    compile()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : 'it cannot be compiled'
  }
}
