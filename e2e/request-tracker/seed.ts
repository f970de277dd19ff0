/** Tickets that RT starts with, more than two pages, numbered from 1. All carry the same second. */
export const seededTickets = Array.from({ length: 230 }, (_, index) => String(index + 1))

/** The id of the custom field `Areas`, and the name of its field. RT has one that belongs to articles. */
export const areasField = 'cf_2'

/** Users of RT besides its administrator, and their time zones. Each may do everything, and has a token. */
export const userZones = { newYork: 'America/New_York', tokyo: 'Asia/Tokyo' } as const
export type SeededUser = keyof typeof userZones

/** Perl that fills RT: a custom field, the tickets and the users. Rules that send mail do not apply. */
export const seed = `
my $system = RT->SystemUser;
my $areas = RT::CustomField->new($system);
$areas->Create(Name => 'Areas', Type => 'SelectMultiple', LookupType => 'RT::Queue-RT::Ticket');
$areas->AddToObject(RT::Queue->new($system));
$areas->AddValue(Name => $_) for qw(north south);
$RT::Handle->dbh->do('update Scrips set Disabled = 1');
$RT::Handle->dbh->do(<<'SQL');
with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${seededTickets.length})
insert into Tickets (id, EffectiveId, Queue, Type, Owner, Subject, Status, Creator, LastUpdatedBy, Created, LastUpdated)
select n, n, 1, 'ticket', (select id from Users where Name = 'Nobody'), 'Ticket ' || n || ' & more', 'new', 1, 1,
       datetime('now', '-1 hour'), datetime('now', '-1 hour')
  from numbers
SQL
my %zones = (${Object.entries(userZones)
  .map(([name, zone]) => `${name} => '${zone}'`)
  .join(', ')});
for my $name (keys %zones) {
  my $user = RT::User->new($system);
  $user->Create(Name => $name, Privileged => 1, Timezone => $zones{$name});
  $user->PrincipalObj->GrantRight(Right => 'SuperUser', Object => RT->System);
}
`
