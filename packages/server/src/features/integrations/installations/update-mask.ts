import type { Issue } from '../../../kernel/http/index.ts'
import type { ConfigContent, PartialConfigContent } from './content.ts'
import type { Action } from './validate-content.ts'

/** The part of an update's body that masks can name. */
export interface InstallationUpdate {
  connectionId?: string
  config?: { createdBy?: string; content?: PartialConfigContent }
}

/** The requested changes of a masked update. Absent properties stay as they are. */
export interface MaskedUpdate {
  connectionId?: string
  createdBy?: string
  /** The whole new content. */
  content?: ConfigContent
}

const allowed = [
  'connectionId',
  'config.createdBy',
  'config.content.read.objects.{object}',
  'config.content.read.objects.{object}.disabled',
  'config.content.write.objects',
  'config.content.write.objects.{object}',
  'config.content.subscribe.objects',
  'config.content.subscribe.objects.{object}',
  'config.content.proxy.enabled',
]
const disabledLeaf = '.disabled'

/**
 * Applies an update mask (contract 3.16): each path replaces its subtree by the body's value. Values that no path names
 * are ignored. Clients do not escape object names, so `a.b.disabled` is first the object of that name, then a leaf of
 * `a.b`.
 */
export function applyUpdateMask(
  content: ConfigContent,
  mask: readonly string[],
  update: InstallationUpdate,
): { update: MaskedUpdate } | { issues: Issue[] } {
  const result: MaskedUpdate = {}
  let next = content
  const issues: Issue[] = []
  for (const [index, path] of mask.entries()) {
    const step = applyPath(next, path, update)
    if ('issue' in step) issues.push({ in: 'body', name: `updateMask[${index}]`, value: path, ...step.issue })
    else if ('content' in step) {
      next = step.content
      result.content = next
    } else Object.assign(result, step)
  }
  return issues.length > 0 ? { issues } : { update: result }
}

/**
 * Splits a path into its action and the rest below `objects`. Undefined if it is not a valid path, such as one that
 * names all read objects.
 */
function objectPath(path: string): { action: Action; rest: string | undefined } | undefined {
  const match = /^config\.content\.(read|write|subscribe)\.objects(?:\.(.+))?$/s.exec(path)
  const action = match?.[1] as Action | undefined
  const rest = match?.[2]
  return action === undefined || (action === 'read' && rest === undefined) ? undefined : { action, rest }
}

/** Whether a mask may contain this path, regardless of the body. */
export function isMaskPath(path: string): boolean {
  return allowed.includes(path) || objectPath(path) !== undefined
}

/** Returns the issue of a path that no mask may contain. */
export function unknownMask(index: number, path: string): Issue {
  return { in: 'body', name: `updateMask[${index}]`, value: path, ...unknownPath(path) }
}

function unknownPath(path: string): Pick<Issue, 'detail' | 'remedy'> {
  return { detail: `There is no such path: ${path}.`, remedy: `Use one of ${allowed.join(', ')}.` }
}

type Step =
  | { issue: Pick<Issue, 'detail' | 'remedy'> }
  | { content: ConfigContent }
  | Pick<MaskedUpdate, 'connectionId' | 'createdBy'>

function applyPath(content: ConfigContent, path: string, update: InstallationUpdate): Step {
  const { connectionId, config } = update
  if (path === 'connectionId') return connectionId === undefined ? noValue(path) : { connectionId }
  if (path === 'config.createdBy')
    return config?.createdBy === undefined ? noValue(path) : { createdBy: config.createdBy }
  if (path === 'config.content.proxy.enabled') {
    const enabled = config?.content?.proxy?.enabled
    return enabled === undefined ? noValue(path) : { content: { ...content, proxy: { ...content.proxy, enabled } } }
  }
  const { action, rest } = objectPath(path) ?? {}
  if (action === undefined) return { issue: unknownPath(path) }
  const configured = config?.content?.[action]?.objects
  if (rest === undefined)
    return configured === undefined
      ? noValue(path)
      : { content: { ...content, [action]: { ...content[action], objects: configured } } }
  for (const name of [rest, rest.replace(/\\(.)/gs, '$1')]) {
    if (configured && Object.hasOwn(configured, name))
      return { content: withObject(content, action, name, configured[name]) }
    if (action !== 'read' || !name.endsWith(disabledLeaf)) continue
    const object = name.slice(0, -disabledLeaf.length)
    const disabled =
      configured && Object.hasOwn(configured, object) ? config?.content?.read?.objects?.[object]?.disabled : undefined
    if (disabled === undefined) continue
    const current = content.read?.objects ?? {}
    return {
      content: withObject(content, 'read', object, {
        ...(Object.hasOwn(current, object) && current[object]),
        disabled,
      }),
    }
  }
  return noValue(path)
}

function withObject(content: ConfigContent, action: Action, name: string, object: unknown): ConfigContent {
  return { ...content, [action]: { ...content[action], objects: { ...content[action]?.objects, [name]: object } } }
}

function noValue(path: string): Step {
  return {
    issue: {
      detail: `The mask names ${path}, but the installation in the body has no value there.`,
      remedy: 'Send the value, or take the path out of the mask.',
    },
  }
}
