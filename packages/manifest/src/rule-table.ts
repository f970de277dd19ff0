/**
 * When a rule stops a deploy: `error` always; `strict` only when the deploy is strict, advice otherwise;
 * `advice` never (only these can be silenced with `# mortise:ignore`).
 */
export type RuleLevel = 'error' | 'strict' | 'advice'

interface Rule {
  level: RuleLevel
  /** What has to hold, in one sentence for builders. */
  sentence: string
}

const error = (sentence: string): Rule => ({ level: 'error', sentence })
const strict = (sentence: string): Rule => ({ level: 'strict', sentence })
const advice = (sentence: string): Rule => ({ level: 'advice', sentence })

/** Every rule of the manifest, in the order of the reference page `docs/manifest.md`. */
export const RULES = {
  // the file
  'yaml-size': error('The manifest is at most 2 MB and 125,000 YAML tokens (about 17,000 lines).'),
  'yaml-character': error('The text holds no NUL, no other control characters and no broken Unicode.'),
  'yaml-syntax': error('The manifest is one well-formed YAML 1.2 document whose keys are text.'),
  'yaml-depth': error('Nothing is nested more than 64 levels deep.'),
  'yaml-alias': error('At most 1,000 anchors and 100 aliases, none inside itself, expanding to at most 10,000 values.'),
  'yaml-duplicate-key': error('A key appears once in its mapping. Keys are not case-sensitive.'),
  'yaml-forbidden-key': error('No key or name is `__proto__`, no key is `constructor` or `prototype`.'),
  'yaml-merge-key': error('Merge keys (`<<`) are not used: they are not part of YAML 1.2.'),
  'wrong-type': error('A value has the type of its key.'),
  'unknown-key': advice('An unknown key is ignored, with its contents.'),
  'empty-value': advice('A key without a value counts as absent.'),
  'findings-truncated': advice('At most 100 findings are listed; the rest is counted.'),

  // the manifest and its integrations
  'spec-version': error('`specVersion` is present and is 1.x, as text.'),
  'spec-version-known': strict('`specVersion` is `1.0.0`, the only version published.'),
  'integration-structure': error('`integrations` lists at least one integration.'),
  'integration-name-required': error('An integration has a name.'),
  'integration-name-characters': error(
    'An integration name has at most 128 characters, no `/` and no control characters.',
  ),
  'integration-name-pattern': advice('An integration name is 1 to 64 letters, digits, `-` or `_`.'),
  'duplicate-integration': error('Integration names are unique in the manifest.'),
  'integration-provider-required': error('An integration names its provider.'),
  'integration-action-required': strict('An integration reads, writes, subscribes, proxies or has its own tools.'),
  'display-name-length': advice('`displayName` has at most 100 characters.'),

  // read
  'read-objects-required': strict('`read` lists at least one object.'),
  'read-object-name-required': error('A read object has an `objectName`.'),
  'read-object-destination-required': error('A read object has a `destination`.'),
  'duplicate-read-object': error('An object appears once under `read`.'),
  'optional-fields-auto-enum': error('`optionalFieldsAuto` is `all`.'),
  'read-enabled-value': error('`enabled` of a read object is `always`.'),
  'always-enabled-required-fields': strict('An object with `enabled: always` has `requiredFields`.'),
  'always-enabled-no-maptoname': strict(
    'A required field of an object with `enabled: always` has no `mapToName` next to its `fieldName`.',
  ),
  'field-existent-name-required': error('A field has a `fieldName`, or a `mapToName` for users to map.'),
  'field-path': advice("A nested field name is in bracket form: `$['a']['b']`."),
  'duplicate-map-to-name': strict('Two fields of one object do not map to the same name.'),
  'backfill-struct-valid': error(
    '`backfill.defaultPeriod` has `days` (a whole number from 0) or `fullHistory` (true or false).',
  ),
  'backfill-exclusive': strict('`days` and `fullHistory` are not used together.'),
  'large-backfill-risk': advice('A backfill of all history, or of more than 180 days, can take long.'),
  'read-deletions-enabled': error('`deletions` has `enabled: always`, a `schedule`, or both.'),
  'read-deletions-reported': error('`deletions.enabled` needs an object whose deleted records the provider reports.'),
  'read-deletions-schedule-reported': advice(
    '`deletions.schedule` is for objects whose deleted records the provider does not report.',
  ),
  'read-deletions-minimum-interval': error('`deletions.schedule` fires at most once an hour.'),
  'delivery-mode-enum': error('`delivery.mode` is `auto` or `onRequest`.'),
  'delivery-onrequest-pagesize-range': error('`delivery.pageSize` is a whole number from 50 to 500.'),
  'delivery-onrequest-pagesize-required': strict('`delivery.mode: onRequest` comes with a `pageSize`.'),
  'delivery-auto-no-pagesize': strict('`pageSize` comes only with `delivery.mode: onRequest`.'),

  // schedules
  'schedule-valid-cron': error('A schedule is a cron expression of five fields.'),
  'schedule-never-fires': error('A schedule fires at least once.'),
  'schedule-limit': error('A manifest has at most 2,000 different schedules.'),
  'schedule-no-asterisk-minute': strict(
    'The minute field is not `*` when the server reads less often than every minute.',
  ),
  'schedule-minimum-interval': strict('A read schedule respects the shortest interval that the server allows.'),
  'frequent-schedule-risk': advice(
    'A read every five minutes or more often can use up the rate limit of the provider.',
  ),

  // write, proxy
  'write-objects-required': strict('`write` lists at least one object.'),
  'write-object-name-required': error('A write object has an `objectName`.'),
  'duplicate-write-object': error('An object appears once under `write`.'),
  'proxy-enabled-required': strict('`proxy` says `enabled: true` or `enabled: false`.'),

  // subscribe
  'subscribe-requires-read': strict('`subscribe` comes with `read`, if the provider can be read.'),
  'subscribe-objects-required': strict('`subscribe` lists at least one object.'),
  'subscribe-object-name-required': error('A subscribe object has an `objectName`.'),
  'subscribe-object-destination-required': error('A subscribe object has a `destination`.'),
  'duplicate-subscribe-object': error('An object appears once under `subscribe`.'),
  'subscribe-inherit-fields-required': strict(
    'An object with create, update, delete or association events has `inheritFieldsAndMapping: true`.',
  ),
  'subscribe-read-object-required': advice('An object with those events is also an object of `read`.'),
  'subscribe-schedule-required': error(
    'An object whose events say only that something changed is an object of `read` with a `schedule`.',
  ),
  'subscribe-minimum-events': advice('A subscribe object has an event, or installations have to opt in.'),
  'event-enabled-required': strict('An event says `enabled: always`.'),
  'create-event-enabled-value': error('`createEvent.enabled` is `always`.'),
  'update-event-enabled-value': error('`updateEvent.enabled` is `always`.'),
  'delete-event-enabled-value': error('`deleteEvent.enabled` is `always`.'),
  'association-change-event-enabled-value': error('`associationChangeEvent.enabled` is `always`.'),
  'watch-fields-auto-enum': error('`watchFieldsAuto` is `all` or `selected`.'),
  'update-event-watch-fields-required': strict('`updateEvent` has `watchFieldsAuto` or `requiredWatchFields`.'),
  'update-event-watch-fields-exclusive': strict('`watchFieldsAuto` and `requiredWatchFields` are not used together.'),
  'watch-fields-no-nesting': strict('A watched field is a top-level one: no `.`, `[` or `]`.'),

  // watchSchema
  'watch-schema-destination-required': error('`watchSchema` has a `destination`.'),
  'watch-schema-minimum-interval': error('A watch schedule is at most hourly.'),
  'watch-schema-all-objects-required': error('`watchSchema` has `allObjects`.'),
  'watch-schema-enabled-value': error('`enabled` of a watched change is present and is `always`.'),

  // agent
  'agent-unknown-key': error('`agent` has no unknown keys: a misspelled rule would not protect anything.'),
  'agent-objects-required': error('`agent` lists at least one object or tool.'),
  'agent-object-name-required': error('An agent object has an `objectName`.'),
  'duplicate-agent-object': error('An object appears once under `agent`.'),
  'agent-actions-required': error('An agent object lists at least one action.'),
  'agent-action-enum': error('An action is `search`, `get`, `list`, `create`, `update` or `delete`.'),
  'agent-action-declared': error(
    'Objects to search, get or list are objects of `read`, and objects to create, update or delete are objects of `write`.',
  ),
  'agent-rule-empty': error('A list of fields or filters under `agent` has at least one item.'),
  'agent-filter-field-required': error('A filter of an agent object has a `fieldName`.'),
  'agent-filter-value': error('A filter has a `value` whose placeholders are `{{consumer}}` and `{{group}}`.'),
  'agent-confirm-value': error(
    '`confirm` says `approval` or `user`, for a tool or for an action that the object lists.',
  ),
  'agent-limit-range': error(
    'Limits are whole numbers: `callsPerMinute` 1 to 6,000, `recordsPerCall` 1 to 100, `resultBytes` 2,000 to 200,000, `approvalHours` 1 to 720.',
  ),
  'agent-tools-number': error('`tools` of `agent` lists 1 to 100 tools.'),
  'agent-tool-name': error('A tool has a name of 1 to 64 letters, digits, `-` or `_`.'),
  'agent-tool-name-taken': error(
    'A tool does not have the name of another tool of the integration, or of a tool of Mortise.',
  ),
  'agent-tool-description': error('A tool has a `description` of at most 1,000 characters.'),
  'agent-tool-schema': error(
    '`inputSchema` is a schema of an object, with the keys of JSON Schema that tools use, at most 6 levels and 200 properties.',
  ),
  'agent-tool-request': error(
    'A `request` has a path that starts with one `/` and has no parameters, and a body only if its method can have one.',
  ),
  'agent-tool-template': error(
    'Templates of a `request` name `arguments` of the schema, `group` or `consumer`. Arguments in the path are required.',
  ),
  'agent-tool-header': error(
    'Headers of a `request` have valid names, and are not about credentials, the connection or the method.',
  ),
  'agent-tool-result': error('`path` of a `result` joins names with dots.'),
  'agent-tool-read-only': error(
    '`readOnly: true` is for GET, HEAD and POST. `confirm` and `dryRun` are for tools that change something.',
  ),
  'agent-provider-tools-support': error('The provider file of `providerTools` names an MCP server.'),
  'agent-provider-tool-name': error('A tool of `providerTools` has a `toolName`.'),
  'duplicate-agent-provider-tool': error('A tool appears once under `providerTools`.'),
  'agent-provider-tool-digest': error(
    'A tool of `providerTools` has the `digest` of its definition, as `mortise provider test` shows it.',
  ),
  'agent-provider-tool-argument': error(
    'A rule of an argument has an `argumentName` that no other rule has, and one of `value`, `values` and `hidden: true`.',
  ),

  // provider and project
  'provider-not-supported': error('The provider is in the catalog.'),
  'provider-module': strict('The module is one of the modules of the provider.'),
  'provider-read-support': strict('The provider (or the module) can be read.'),
  'provider-write-support': strict('The provider (or the module) can be written to.'),
  'provider-subscribe-support': strict('The provider (or the module) can be subscribed to.'),
  'provider-proxy-support': strict('The provider (or the module) can be proxied to.'),
  'capability-not-implemented': advice('This release has a connector for what the provider is used for.'),
  'object-exists': advice('The object is in the list of objects of the provider, where that is known.'),
  'object-readable': advice('An object of `read` can be read here, and not only be written.'),
  'salesforce-subscribe-limit': strict('At most five objects are subscribed at `salesforce`.'),
  'google-calendar-no-full-history': strict('Events of Google Calendar are not backfilled with `fullHistory`.'),
  'google-calendar-max-days': strict('Events of Google Calendar are backfilled for at most 28 days.'),
  'snowflake-only-full-history': strict('Objects of `snowflake` are backfilled with `fullHistory`, not `days`.'),
  'destination-not-found': strict('A destination of that name exists in the project.'),
  'provider-app-not-configured': advice('An OAuth provider has a provider app in the project.'),
  'provider-app-params': advice('The provider app has the settings that the provider requires.'),
  'provider-app-scopes': advice('The provider app lists the OAuth scopes that the objects need.'),
} as const satisfies Record<string, Rule>

export type RuleId = keyof typeof RULES
