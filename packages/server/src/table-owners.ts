import type { Tables } from './kernel/db/index.ts'

/**
 * Who writes each table: one module, the owner. Others call its functions. A module that reads a table of another in
 * its own statements is listed under `readBy`, with the reason. `npm run check` compares this with all statements.
 */
interface Ownership {
  /** The name of a feature, `keys`, or `kernel/NAME`. */
  owner: string
  /** Modules that join the table into their own statements, each with the reason. */
  readBy?: Record<string, string>
}

const approval = 'a call finds what decides its tools in one statement, and approvals name group and integration'
const resource = 'one statement returns the whole resource'
const proxied = 'each proxied request finds its target in one statement'
const inbound = 'each inbound event finds its receivers in one statement'
const facts = 'one statement returns what a notification says'
const grouped = 'one statement gives messages to the destinations of their connections and groups'
const history = 'time lines merge what tables of several features know of the past'
const found = 'one statement finds any resource by its id or name'
const unhealthy = 'one statement returns why an installation is unhealthy'

export const tableOwners = {
  // identity
  api_keys: {
    owner: 'access',
    readBy: {
      lookup: found,
    },
  },
  builders: {
    owner: 'orgs',
    readBy: {
      'sign-in': 'each request finds its session and builder in one statement',
    },
  },
  claimed_domains: { owner: 'orgs' },
  factor_setups: { owner: 'sign-in' },
  factors: { owner: 'sign-in' },
  half_sign_ins: { owner: 'sign-in' },
  invites: { owner: 'orgs' },
  jwt_keys: { owner: 'access' },
  memberships: {
    owner: 'orgs',
    readBy: {
      projects: 'one statement returns a page of projects with roles',
      'sign-in': 'each request finds its session, and whether an organization requires a second factor',
    },
  },
  orgs: {
    owner: 'projects',
    readBy: {
      'sign-in': 'each request finds its session, and whether an organization requires a second factor',
    },
  },
  password_resets: { owner: 'sign-in' },
  projects: {
    owner: 'projects',
    readBy: {
      access: 'each request finds its key and project in one statement',
      'agent-sessions': 'each request finds its session and project in one statement',
      'authorization-flows': 'each request finds its connect session and project in one statement',
      orgs: 'each request finds its project and role in one statement',
      'provider-events': 'anybody can send requests to URLs of projects that do not exist',
    },
  },
  recovery_codes: { owner: 'sign-in' },
  removed_members: { owner: 'orgs' },
  sessions: { owner: 'sign-in' },
  sign_in_addresses: { owner: 'sign-in' },
  sign_in_attempts: { owner: 'sign-in' },
  sign_in_codes: { owner: 'sign-in' },
  sign_in_flows: { owner: 'sign-in' },
  signing_keys: { owner: 'sign-in' },
  used_refresh_tokens: { owner: 'sign-in' },

  // integrations
  configs: {
    owner: 'installations',
    readBy: {
      timelines: history,
      notifications: facts,
      proxying: proxied,
    },
  },
  installations: {
    owner: 'installations',
    readBy: {
      tools: approval,
      lookup: found,
      connections: 'finds the connections that no installation uses',
      counts: 'counts are added for installations that exist, and projects with many are ranked',
      messages: grouped,
      notifications: facts,
      operations: 'the log of an installation is found by its integration, and calls of a deleted one are left out',
      proxying: proxied,
      reading: 'a claim and a pause find the installations of many reads in one statement',
      records: 'keeps installations from being deleted while their records are stored',
      'schema-watching': 'finds the installations of an integration that watch',
      'provider-events': 'stores what arrived for installations that exist',
      subscribing: inbound,
      timelines: history,
    },
  },
  integrations: {
    owner: 'integrations',
    readBy: {
      tools: approval,
      lookup: found,
      installations: resource,
      notifications: facts,
      operations: 'finds an installation by the name of its integration',
      proxying: proxied,
      reading: 'the schedules of an installation are found by its integration, in one statement',
      'schema-watching': 'finds the installations of an integration that watch',
      subscribing: inbound,
    },
  },
  offered_secrets: { owner: 'provider-apps' },
  provider_apps: {
    owner: 'provider-apps',
    readBy: {
      lookup: found,
      connections: resource,
    },
  },
  revisions: {
    owner: 'integrations',
    readBy: {
      lookup: found,
      installations: resource,
      proxying: proxied,
    },
  },
  uploads: { owner: 'uploads' },

  // accounts
  connect_sessions: { owner: 'authorization-flows' },
  connection_credentials: {
    owner: 'credentials',
    readBy: {
      connections: 'finds a connection with its credential in one statement',
    },
  },
  connections: {
    owner: 'connections',
    readBy: {
      destinations: 'a connection with a destination exists, and is shown with its group and provider',
      lookup: found,
      installations: 'finds the installations of a consumer in one statement',
      notifications: facts,
      'provider-apps': 'an app that a connection uses is not deleted',
      subscribing: inbound,
      timelines: history,
    },
  },
  consumers: {
    owner: 'consumers',
    readBy: {
      lookup: found,
      connections: resource,
      notifications: facts,
    },
  },
  client_registrations: { owner: 'authorization-servers' },
  custom_auth_sessions: { owner: 'authorization-flows' },
  erasures: { owner: 'erasures' },
  groups: {
    owner: 'consumers',
    readBy: {
      installations: resource,
      lookup: found,
      connections: resource,
      notifications: facts,
    },
  },
  oauth_flows: { owner: 'authorization-flows' },

  // agents
  agent_clients: { owner: 'agent-sessions' },
  agent_sessions: { owner: 'agent-sessions' },
  agent_sign_ins: { owner: 'agent-sessions' },
  approvals: { owner: 'tools' },
  tool_names: { owner: 'tools' },
  tool_windows: { owner: 'tools' },

  // sync
  backfills: {
    owner: 'reading',
    readBy: {
      installations: unhealthy,
    },
  },
  buffered_pages: { owner: 'reading' },
  inbound_events: { owner: 'subscribing' },
  inbound_keys: { owner: 'subscribing' },
  page_requests: { owner: 'reading' },
  read_runs: { owner: 'reading' },
  resends: { owner: 'reading', readBy: { destinations: 'a destination shows when its newest resend began' } },
  resend_reads: { owner: 'reading' },
  deletion_checks: { owner: 'reading' },
  delivered_ids: { owner: 'reading' },
  read_states: {
    owner: 'reading',
    readBy: {
      installations: unhealthy,
    },
  },
  registrations: { owner: 'subscribing' },
  schema_changes: { owner: 'schema-watching', readBy: { timelines: history } },
  schema_watches: { owner: 'schema-watching' },
  streams: { owner: 'subscribing' },
  subscriptions: {
    owner: 'subscribing',
    readBy: {
      installations: unhealthy,
    },
  },
  teardowns: { owner: 'subscribing' },
  webhook_secrets: { owner: 'subscribing' },
  write_items: { owner: 'writing' },
  write_runs: { owner: 'writing' },

  // messaging
  attempts: { owner: 'messages' },
  destinations: {
    owner: 'destinations',
    readBy: {
      lookup: found,
      messages: 'the poll finds destinations with due messages, and orphans of deleted ones, in one statement',
      notifications: 'finds the destinations of an event in one statement',
      records: 'one statement finds the stores of records with the names of their destinations',
    },
  },
  destination_groups: {
    owner: 'destinations',
    readBy: { messages: grouped },
  },
  destination_connections: {
    owner: 'destinations',
    readBy: { messages: grouped },
  },
  event_topic_routes: { owner: 'notifications' },
  message_replays: { owner: 'messages' },
  message_results: { owner: 'messages' },
  messages: {
    owner: 'messages',
    readBy: {
      destinations: 'a destination shows how many of its messages are dead letters',
      lookup: found,
    },
  },
  record_removals: { owner: 'records' },
  record_stores: { owner: 'records' },
  records: { owner: 'records' },
  topic_destination_routes: { owner: 'notifications' },
  topics: {
    owner: 'notifications',
    readBy: {
      lookup: found,
    },
  },

  // platform and kernel
  audit_entries: { owner: 'audit' },
  audit_seals: { owner: 'audit' },
  audit_unsealed: { owner: 'audit' },
  builder_idempotency_keys: { owner: 'kernel/http' },
  idempotency_keys: { owner: 'kernel/http' },
  limit_shares: { owner: 'kernel/rate-limits' },
  last_operations: {
    owner: 'operations',
    readBy: {
      installations: resource,
    },
  },
  operation_logs: { owner: 'operations' },
  operations: {
    owner: 'operations',
    readBy: {
      lookup: found,
    },
  },
  installation_counts: { owner: 'counts' },
  integration_counts: { owner: 'counts' },
  ranked_installations: { owner: 'counts' },
  ranked_intervals: { owner: 'counts' },
  resource_events: { owner: 'timelines' },
  provider_events: { owner: 'provider-events' },
  encryption_key_nodes: { owner: 'keys' },
  encryption_keys: { owner: 'keys' },
  watches: { owner: 'kernel/pubsub' },
} satisfies Record<keyof Tables, Ownership>

/**
 * Modules whose statements name no fixed table. The check leaves these statements out. A table that a module declares
 * for `kernel/work` counts as written by that module.
 */
export const wholeDatabase = {
  backup: 'copies all tables',
  keys: 'encrypts all encrypted columns again under another key',
  'kernel/work': 'claims and ends rows of the tables that its callers declare',
  'kernel/db': 'creates the schema, the roles and their rights',
} satisfies Record<string, string>

/**
 * Names of common table expressions that fragments read: the statement that a fragment becomes part of declares them.
 * No table may have such a name.
 */
export const sharedExpressions = {
  input: 'the row that a statement gets from its caller',
  made: 'the row that a statement has inserted',
  audited: 'the entries of the audit log that a statement has inserted',
  target: 'the destinations of messages that a statement inserts',
} satisfies Record<string, string>
