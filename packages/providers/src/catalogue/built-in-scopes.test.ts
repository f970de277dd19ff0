import { expect, it } from 'vitest'
import { loadCatalogue } from '../index.ts'
import { testCache } from '../testing/test-cache.testkit.ts'
import { lackingScopes, type ScopeAction, scopeActions, scopeRulesOf, scopesOfObject } from './object-scopes.ts'
import { unscopedObjects } from './unscoped-objects.ts'

const catalogue = await loadCatalogue({ cacheDir: testCache })

/** What an object still needs with these scopes. */
function lacking(provider: string, object: string, action: ScopeAction, granted: string[], module?: string) {
  const entry = catalogue.find(provider)
  const rules = entry && scopeRulesOf(entry)
  if (!entry || !rules) throw new Error(`${provider} has no OAuth`)
  return lackingScopes(rules, scopesOfObject(entry, module, object)[action] ?? [], granted).flat()
}

const payPal = 'https://uri.paypal.com/services'
const gmail = 'https://www.googleapis.com/auth/gmail'
const calendar = 'https://www.googleapis.com/auth/calendar'

it.each<[string, string, ScopeAction, string, string[], string?]>([
  ['hubspot', 'contacts', 'write', 'crm.objects.contacts.read', ['crm.objects.contacts.write']],
  ['hubspot', '2-123', 'read', 'crm.objects.custom.read', []],
  ['salesforce', 'Account', 'read', 'full', []],
  ['salesforce', 'Own__c', 'write', 'refresh_token', ['api']],
  ['google', 'events', 'read', 'https://www.googleapis.com/auth/calendar', [], 'calendar'],
  [
    'google',
    'messages',
    'delete',
    'https://www.googleapis.com/auth/gmail.modify',
    ['https://mail.google.com/'],
    'gmail',
  ],
  [
    'google',
    'calendarEvents',
    'subscribe',
    `${calendar}.events.readonly`,
    [`${calendar}.calendarlist.readonly`],
    'calendar',
  ],
  ['google', 'calendarEvents', 'read', `${calendar}.readonly`, [], 'calendar'],
  ['microsoft', 'me/messages', 'read', 'https://graph.microsoft.com/Mail.ReadWrite', []],
  ['microsoft', 'drive/items', 'subscribe', 'Files.Read', ['Files.ReadWrite.All', 'Files.ReadWrite']],
  ['microsoft', 'drive/items', 'subscribe', 'Files.ReadWrite.All', []],
  ['microsoft', 'me/todo/tasks', 'subscribe', 'Tasks.Read', ['Tasks.ReadWrite']],
  ['zendeskSupport', 'tickets', 'read', 'read', []],
  ['zendeskSupport', 'tickets', 'write', 'read', ['tickets:write']],
  ['shopify', 'orders', 'read', 'write_orders', []],
  ['pipedrive', 'deals', 'read', 'deals:full', [], 'crm'],
  ['pipedrive', 'pipelines', 'write', 'deals:full', ['admin'], 'crm'],
  ['pipedrive', 'notes', 'read', 'contacts:full', [], 'legacy'],
  ['pipedrive', 'deals', 'subscribe', 'deals:read', ['webhooks:full'], 'crm'],
  ['okta', 'users', 'read', 'okta.groups.read', ['okta.users.read', 'okta.schemas.read']],
  ['okta', 'groups', 'write', 'okta.groups.read', ['okta.groups.manage']],
  ['okta', 'apps', 'subscribe', 'okta.apps.manage', ['okta.eventHooks.manage']],
  ['okta', 'zones', 'read', 'okta.networkZones.manage', []],
  ['zohoBooks', 'invoices', 'write', 'ZohoBooks.fullaccess.all', []],
  ['github', 'repos', 'delete', 'repo', ['delete_repo']],
  ['quickbooks', 'invoice', 'read', 'com.intuit.quickbooks.accounting', []],
  ['calendly', 'scheduled_events', 'read', 'scheduled_events:write', []],
  ['calendly', 'groups', 'read', 'default', []],
  ['lever', 'interviews', 'read', 'interviews:write:admin', ['opportunities:read:admin']],
  ['webex', 'messages', 'write', 'spark:all', []],
  ['webex', 'memberships', 'subscribe', 'spark:memberships_read', []],
  ['todoist', 'projects', 'delete', 'data:read_write', ['project:delete']],
  ['attio', 'my_object', 'read', 'record_permission:read-write', ['object_configuration:read']],
  ['airtable', 'appA1/tblB2', 'write', 'data.records:read', ['data.records:write']],
  ['smartsheet', 'sheets/12', 'read', 'READ_SHEETS', []],
  ['freshbooks', 'items', 'read', 'user:clients:read', ['user:billable_items:read']],
  ['capsule', 'parties', 'write', 'read', ['write']],
  ['close', 'lead', 'read', 'all.full_access', []],
  ['zoho', 'tickets', 'delete', 'Desk.tickets.ALL', [], 'desk'],
  ['zoho', 'Leads', 'read', 'ZohoCRM.modules.leads.READ', ['ZohoCRM.settings.fields.READ'], 'crm'],
  ['zoho', 'Sales_Orders', 'write', 'ZohoCRM.modules.ALL', [], 'crm'],
  ['zoho', 'Contacts', 'delete', 'ZohoCRM.modules.contacts.ALL', [], 'crm'],
  [
    ...(['zoho', 'Contacts', 'subscribe', 'ZohoCRM.modules.ALL'] as const),
    ['ZohoCRM.settings.fields.READ', 'ZohoCRM.notifications.CREATE', 'ZohoCRM.notifications.DELETE'],
    'crm',
  ],
  ['zoho', 'CustomModule1', 'read', 'ZohoCRM.modules.custom.READ', ['ZohoCRM.settings.fields.READ'], 'crm'],
  ['atlassian', 'issues', 'read', 'read:issue-details:jira', [], 'jira'],
  ['zoom', 'rooms', 'write', 'zoom_rooms:write:room:admin', ['zoom_rooms:update:room:admin', 'room:write:admin']],
  ['payPalSandBox', 'transactions', 'read', `${payPal}/invoicing`, [`${payPal}/reporting/search/read`]],
  ['docusign', 'envelopes', 'write', 'extended', ['signature']],
  ['dropboxSign', 'template', 'read', 'request_signature', ['template_access']],
  ['dropboxSign', 'signature_request', 'read', 'request_signature', []],
  ['zoom', 'meetings', 'read', 'meeting:write:admin', []],
  ['highLevelStandard', 'products/collections', 'read', 'products.readonly', ['products/collection.readonly']],
  ['meta', 'campaigns', 'write', 'ads_read', ['ads_management'], 'ads'],
  ['ringCentral', 'extensions', 'write', 'EditExtensions', ['EditAccounts']],
  ['ringCentral', 'answering-rule', 'write', 'EditAccounts', []],
  ['ringCentral', 'contacts', 'read', 'Contacts', []],
  ['gusto', 'employees', 'delete', 'employees:write', ['employees:manage']],
  ['gustoDemo', 'jobs', 'read', 'jobs:read', ['employees:read']],
  ['github', 'orgs/packages', 'delete', 'read:packages', ['delete:packages']],
  ['github', 'orgs/packages/npm', 'read', 'read:packages', ['read:org', 'user']],
  ['github', 'teams', 'read', 'user', []],
  ['github', 'repos/code-scanning/alerts', 'read', 'repo', []],
  ['github', 'repos/issues', 'subscribe', 'read:org', ['admin:repo_hook', 'public_repo']],
  ['github', 'repos/issues', 'subscribe', 'repo', []],
  ['hubspot', 'emails', 'read', 'crm.objects.contacts.read', ['sales-email-read']],
  ['hubspot', 'courses', 'delete', 'crm.objects.courses.read', ['crm.objects.courses.write']],
  ['highLevelWhiteLabel', 'payments/coupon/list', 'read', 'payments/orders.readonly', ['payments/coupons.readonly']],
  ['zendeskSupport', 'articles', 'write', 'hc:read', ['hc:write']],
  ['zendeskSupport', 'views', 'read', 'read', []],
  ['zendeskSupport', 'workspaces', 'write', 'read', ['write']],
  ['slack', 'conversations.requestSharedInvite', 'read', 'channels:read', ['conversations.connect:manage']],
  ['microsoft', 'namedLocations', 'delete', 'Policy.Read.All', ['Policy.ReadWrite.ConditionalAccess']],
  [
    ...(['linkedIn', 'posts', 'write', 'r_organization_social'] as const),
    ['w_organization_social', 'w_member_social'],
    'platform',
  ],
  ['zendeskSupport', 'group_memberships', 'read', 'groups:read', []],
  ['zendeskSupport', 'tickets', 'subscribe', 'tickets:read', ['webhooks:write', 'webhooks:read']],
  [
    'microsoft',
    'channels',
    'write',
    'Channel.Create',
    ['ChannelSettings.ReadWrite.All', 'Group.ReadWrite.All', 'Directory.ReadWrite.All'],
  ],
  ['microsoft', 'groupMembers', 'read', 'Group.ReadWrite.All', []],
  ['microsoft', 'domains', 'read', 'Domain.ReadWrite.All', []],
  ['xero', 'purchaseOrders', 'write', 'accounting.invoices', []],
  ['xero', 'bankTransfers', 'write', 'accounting.payments', ['accounting.banktransactions', 'accounting.transactions']],
  ['squareSandbox', 'bookings', 'write', 'APPOINTMENTS_READ', ['APPOINTMENTS_WRITE']],
  ['greenhouse', 'candidates', 'delete', 'harvest:candidates:update', ['harvest:candidates:destroy']],
  ['gorgias', 'widgets', 'write', 'write:all', []],
  ['gorgias', 'views', 'read', 'tags:read', ['tickets:read']],
  ['surveyMonkey', 'responses', 'read', 'surveys_read', ['responses_read_detail']],
  ['shopify', 'inventoryItems', 'write', 'write_products', ['write_inventory']],
  ['slack', 'conversations.listConnectInvites', 'read', 'channels:read', ['conversations.connect:manage']],
  ['linear', 'notifications', 'read', 'write', ['read']],
  ['asana', 'stories', 'delete', 'stories:write', ['stories:delete']],
  [
    'asana',
    'tasks',
    'subscribe',
    'tasks:read',
    ['projects:read', 'webhooks:write', 'webhooks:delete', 'projects:read'],
  ],
  ['asana', 'tasks', 'subscribe', 'default', []],
  ['google', 'filters', 'write', `${gmail}.modify`, [`${gmail}.settings.basic`], 'gmail'],
  ['google', 'messages', 'write', 'https://mail.google.com/', [], 'gmail'],
  ['atlassian', 'sprints', 'delete', 'write:sprint:jira-software', ['delete:sprint:jira-software'], 'jira'],
  ['atlassian', 'components', 'write', 'manage:jira-project', [], 'jira'],
  [
    'zohoBooks',
    'journals',
    'write',
    'ZohoBooks.accountants.READ',
    ['ZohoBooks.accountants.CREATE', 'ZohoBooks.accountants.UPDATE'],
  ],
  ['zohoBooks', 'items', 'delete', 'ZohoBooks.fullaccess.all', []],
  ['zohoBooks', 'users', 'read', 'ZohoBooks.contacts.ALL', ['ZohoBooks.settings.READ']],
  ['ecwid', 'products', 'delete', 'create_catalog', ['update_catalog']],
  ['klaviyo', 'profile-bulk-import-jobs', 'read', 'profiles:read', ['lists:read']],
  ['outreach', 'emailAddresses', 'write', 'emailAddresses.read', ['emailAddresses.write']],
  ['outreach', 'emailAddresses', 'read', 'emailAddresses.all', []],
  ['sellsy', 'companies', 'read', 'companies.read', ['custom-fields.read']],
  ['sellsy', 'invoices', 'write', 'invoices.read', ['invoices.write']],
  ['sellsy', 'steps', 'read', 'opportunities.read', []],
  ['linkedIn', 'creatives', 'read', 'rw_ads', [], 'ads'],
  ['linkedIn', 'adCampaigns', 'write', 'r_ads', ['rw_ads'], 'ads'],
  ['gong', 'trackers', 'read', 'api:users:read', ['api:settings:trackers:read']],
  ['constantContact', 'account_emails', 'read', 'contact_data', ['account_read']],
  ['attio', 'list_entries', 'read', 'list_entry:read-write', ['list_configuration:read']],
  ['bentley', 'itwins', 'read', 'openid', ['itwin-platform']],
  ['bentley', 'itwins', 'delete', 'itwin-platform', []],
  ['gitlab', 'deploy_keys', 'read', 'read_user', ['read_api']],
  ['gitlab', 'snippets', 'write', 'read_api', ['api']],
  ['gitlab', 'projects/issues', 'subscribe', 'read_api', ['api']],
  ['sage', 'contacts', 'read', 'full_access', []],
  ['sage', 'contacts', 'delete', 'readonly', ['full_access']],
  ['zoomInfo', 'contacts', 'read', 'api:data:company', ['api:data:contact']],
  ['zoomInfo', 'audiences', 'delete', 'api:audience:read', ['api:audience:manage']],
  ['zoomInfo', 'products', 'write', 'api:gtm-config:read', ['api:gtm-config:manage']],
  ['salesloft', 'people', 'delete', 'people:write', ['people:delete']],
  ['salesloft', 'tasks', 'read', 'tasks:write', ['tasks:read']],
  ['square', 'subscriptions', 'read', 'SUBSCRIPTIONS_WRITE', ['SUBSCRIPTIONS_READ']],
  [
    'squareSandbox',
    'subscriptions',
    'write',
    'SUBSCRIPTIONS_WRITE',
    ['CUSTOMERS_READ', 'INVOICES_WRITE', 'ITEMS_READ', 'ORDERS_WRITE', 'PAYMENTS_WRITE'],
  ],
  ['talkdesk', 'queues', 'read', 'ring-groups:read', ['queues:read']],
  ['talkdesk', 'record-lists', 'read', 'record-lists:manage', []],
  ['talkdesk', 'cases/fields', 'read', 'cases-public:read', ['case-fields-public:read']],
  ['talkdesk', 'v2/users', 'read', 'users:read', ['scim']],
  ['freshbooks', 'tasks', 'write', 'user:projects:write', ['user:billable_items:write']],
  ['freshbooks', 'expense_categories', 'read', 'user:expenses:read', []],
  ['docusign', 'groups', 'read', 'group_read', ['signature']],
  [
    'greenhouse',
    'demographic_questions',
    'read',
    'harvest:demographic_answer_options:list',
    ['harvest:demographic_questions:list'],
  ],
  ['atlassian', 'priorities', 'read', 'read:jira-work', ['manage:jira-configuration'], 'jira'],
  ['atlassian', 'serviceDeskOrganizations', 'delete', 'manage:servicedesk-customer', [], 'jira'],
  [
    ...(['atlassian', 'queues', 'read', 'read:jira-work'] as const),
    ['read:servicedesk-request', 'read:servicedesk:jira-service-management'],
    'jira',
  ],
  ['microsoft', 'devices', 'delete', 'Device.ReadWrite.All', ['Directory.AccessAsUser.All']],
  ['microsoft', 'incidents', 'read', 'SecurityIncident.ReadWrite.All', []],
  ['microsoft', 'directory/deletedItems/microsoft.graph.user', 'read', 'User.ReadWrite.All', []],
  ['zoom', 'h323_devices', 'read', 'h323:write:admin', []],
  ['zoom', 'roles', 'delete', 'role:update:role', ['role:delete:role', 'role:delete:role:admin', 'role:write:admin']],
  ['calendly', 'contacts', 'subscribe', 'webhooks:write', ['contacts:read']],
  ['calendly', 'scheduled_events', 'delete', 'scheduled_events:read', ['scheduled_events:write']],
  ['calendly', 'contacts', 'read', 'contacts:write', []],
  ['highLevelWhiteLabel', 'products/inventory', 'read', 'products.readonly', ['products/prices.readonly']],
  ['highLevelStandard', 'proposals/templates', 'read', 'documents_contracts_templates/list.readonly', []],
  ['outreach', 'opportunityStages', 'delete', 'opportunityStages.all', []],
  ['outreach', 'opportunityStages', 'write', 'opportunities.all', ['opportunityStages.write']],
  ['ringCentral', 'comm-handling/states', 'write', 'ReadAccounts', ['EditExtensions']],
  ['ringCentral', 'ivr-menus', 'write', 'EditExtensions', ['EditAccounts']],
  ['salesforce', 'external-activities', 'write', 'api', ['pardot_api'], 'account-engagement'],
  ['squareSandbox', 'devices', 'read', 'DEVICE_CREDENTIAL_MANAGEMENT', ['DEVICES_READ']],
  ['hubspot', 'goal_targets', 'delete', 'crm.objects.goals.read', ['crm.objects.goals.write']],
  ['zohoDesk', 'tasks', 'delete', 'Desk.tasks.ALL', []],
  ['zohoDesk', 'products', 'write', 'Desk.settings.ALL', []],
  ['zohoDesk', 'ticketComments', 'write', 'Desk.tickets.READ', ['Desk.tickets.UPDATE']],
  ['zohoDesk', 'calls', 'delete', 'Desk.calls.READ', ['Desk.calls.DELETE', 'Desk.activities.calls.DELETE']],
  ['zoho', 'events', 'delete', 'Desk.events.ALL', [], 'desk'],
  ['zoho', 'teams', 'read', 'Desk.settings.ALL', [], 'desk'],
  ['linkedIn', 'dmpEngagementSourceTypes', 'read', 'rw_ads', [], 'ads'],
])('%s %s: to %s with %s, what is missing is %j', (provider, object, action, scope, missing, module) => {
  expect(lacking(provider, object, action, [scope], module)).toEqual(missing)
})

it('an object of a built-in file that says what it needs has that action, and no scope has a blank', () => {
  const scoped = catalogue.list().filter(({ objectScopes }) => objectScopes !== undefined)
  expect(scoped.length).toBeGreaterThan(40)
  for (const { name, objectScopes = {} } of scoped)
    for (const objects of Object.values(objectScopes))
      for (const [object, scopes] of Object.entries(objects)) {
        expect(Object.keys(scopes).length, `${name} ${object}`).toBeGreaterThan(0)
        for (const action of scopeActions)
          for (const scope of (scopes[action] ?? []).flat()) expect(scope, `${name} ${object}`).toMatch(/^\S+$/)
      }
})

it('each object of an OAuth file names scopes for its actions, or the file says why not', () => {
  const unexplained = catalogue
    .list()
    .flatMap((entry) => (unscopedObjects(entry) ?? []).map((unscoped) => ({ provider: entry.name, ...unscoped })))
    .filter(({ why }) => why === undefined)
  expect(unexplained, 'scopes or `withoutScopes`: docs/provider-files.md').toEqual([])
})

it('an object that `withoutScopes` names has an action without scopes', () => {
  for (const entry of catalogue.list()) {
    const unscoped = new Set(unscopedObjects(entry)?.map(({ object }) => object))
    const named = entry.authentication.flatMap((one) =>
      one.scheme === 'oauth2' ? (one.withoutScopes ?? []).flatMap(({ objects = [] }) => objects) : [],
    )
    for (const object of named) expect(unscoped, `${entry.name} ${object}`).toContain(object)
  }
})
