import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { PubSub, Subscription } from '../../../kernel/pubsub/index.ts'
import { type Change, changesTopic } from '../../platform/changes/index.ts'

/** Changes within this time are one notification. */
const collectMs = 500
/** Streams of one group on one node. */
const ofGroupMax = 20
/** Streams of one node. Each takes a connection. */
const ofNodeMax = 2_000

/** What one stream follows. */
interface Follower {
  groupRef: string
  changed: () => void
}

/** The streams of a project on this node, which share a subscription. */
interface Followed {
  subscription: Subscription
  followers: Set<Follower>
  /** Groups whose tools may have changed; `all` for every group. */
  waiting: Set<string> | 'all'
  timer: NodeJS.Timeout | undefined
}

const nodes = new WeakMap<PubSub, Map<string, Followed>>()

/**
 * Calls `changed` when the tools of a group may have changed: an integration was deployed, or an installation or a
 * connection of the group was created, changed or deleted. Runs no statement. Returns what ends it, or undefined if the
 * group or the node has too many streams.
 */
export async function followTools(
  pubsub: PubSub,
  { projectId }: Pick<ProjectDb, 'projectId'>,
  follower: Follower,
): Promise<(() => void) | undefined> {
  const projects = nodes.get(pubsub) ?? new Map<string, Followed>()
  nodes.set(pubsub, projects)
  const ofNode = [...projects.values()].reduce((sum, { followers }) => sum + followers.size, 0)
  if (ofNode >= ofNodeMax) return undefined
  const project = projects.get(projectId) ?? followProject(pubsub, projectId)
  projects.set(projectId, project)
  const ofGroup = [...project.followers].filter(({ groupRef }) => groupRef === follower.groupRef)
  if (ofGroup.length >= ofGroupMax) return undefined
  project.followers.add(follower)
  await project.subscription.ready
  return () => {
    project.followers.delete(follower)
    if (project.followers.size > 0 || projects.get(projectId) !== project) return
    projects.delete(projectId)
    clearTimeout(project.timer)
    project.subscription.end()
  }
}

function followProject(pubsub: PubSub, projectId: string): Followed {
  let isReady = false
  const add = (groupRef: string | undefined) => {
    if (groupRef === undefined) project.waiting = 'all'
    else if (project.waiting !== 'all') project.waiting.add(groupRef)
    project.timer ??= setTimeout(() => notify(project), collectMs).unref()
  }
  const subscription = pubsub.subscribe(changesTopic(projectId), {
    receive: (change) =>
      void (decidesTools(change) && add(change.kind === 'integration' ? undefined : change.groupRef)),
    // The first one comes with the subscription, when nothing has been missed.
    missed: () => void (isReady && add(undefined)),
  })
  const project: Followed = { subscription, followers: new Set(), waiting: new Set(), timer: undefined }
  void subscription.ready.then(() => {
    isReady = true
  })
  return project
}

function decidesTools({ kind }: Change): boolean {
  return kind === 'integration' || kind === 'installation' || kind === 'connection' || kind === 'all'
}

function notify(project: Followed): void {
  const { waiting } = project
  project.waiting = new Set()
  project.timer = undefined
  for (const { groupRef, changed } of project.followers) if (waiting === 'all' || waiting.has(groupRef)) changed()
}
