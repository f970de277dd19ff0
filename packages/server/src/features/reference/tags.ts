/** The chapters of the reference, in the order in which things are met. */
export const tags: Record<string, string> = {
  Projects:
    'A project holds everything of one product of yours: integrations, connections, installations, destinations, keys.',
  Integrations:
    'What an integration does, as its manifest says. Deploying a manifest makes integrations and their revisions.',
  'Provider catalogue': 'The catalog of SaaS providers: how to connect each of them, and what it supports there.',
  'Provider apps': 'The OAuth apps that you registered at providers.',
  Connections: 'Accounts of your customers at providers, with their credentials.',
  'Groups and consumers': 'Your customers (groups) and the people among them who connected accounts (consumers).',
  Installations: 'An integration that one group uses, with what the group chose.',
  'Objects and fields': 'Which fields the objects of an account have.',
  Read: 'Control reads: trigger, pause, resume.',
  Search: 'Records found at the provider while you wait.',
  Write: 'Records that are created, updated and deleted at the provider.',
  Operations: 'What ran for an installation, how it ended, and what it logged.',
  Destinations: 'Where messages go: webhooks of yours, signed, with retries.',
  Messages: 'What was and will be delivered; look it up, follow it, send it again.',
  Notifications: 'Topics and routes: which events go to which destinations.',
  Webhooks: 'What Mortise posts to your webhooks. Every request is signed (Standard Webhooks).',
  'API keys': 'Credentials of your servers and front ends.',
  'JWT keys': 'Public keys that tokens of single consumers are checked with.',
  Organisations: 'People, their roles, invites and claimed mail domains.',
  'Sign-in': 'Sessions, passwords, single sign-on and the pages that people see while they sign in.',
  Reference: 'This reference, pages of problems, and schemas for editors.',
  Health: 'For load balancers and monitoring.',
}
