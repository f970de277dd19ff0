/**
 * Issues that Redmine starts with, numbered from 1. All carry the same second: what pages by time would stumble over.
 */
export const seededIssues = 250

/** The issue of which the custom field `Stage` says `won`. */
export const wonIssue = 7

/** Every tenth issue is closed, and hidden from who does not ask for all. */
export const closedIssues = Array.from({ length: seededIssues / 10 }, (_, index) => (index + 1) * 10)

/** Ruby: a project, custom fields of it and of issues, which REST cannot make, and the issues. */
export const seed = `
admin = User.find_by_login('admin')
ProjectCustomField.create!(name: 'Budget', field_format: 'int')
stage = IssueCustomField.create!(name: 'Stage', field_format: 'list', possible_values: %w[new won lost], is_for_all: true, trackers: Tracker.all.to_a)
IssueCustomField.create!(name: 'Areas', field_format: 'list', multiple: true, possible_values: %w[north south], is_for_all: true, trackers: Tracker.all.to_a)
project = Project.create!(name: 'Sales', identifier: 'sales', trackers: Tracker.all.to_a, enabled_module_names: %w[issue_tracking time_tracking])
Version.create!(project: project, name: '1.0')
hour_ago = 1.hour.ago
closed = IssueStatus.find_by!(is_closed: true)
Issue.insert_all((1..${seededIssues}).map { |i| {
  id: i, root_id: i, lft: 1, rgt: 2, project_id: project.id, tracker_id: Tracker.first.id, author_id: admin.id,
  priority_id: IssuePriority.first.id, status_id: (i % 10 == 0 ? closed : IssueStatus.first).id,
  subject: "Issue #{i} & more", created_on: hour_ago, updated_on: hour_ago,
} })
CustomValue.create!(customized_type: 'Issue', customized_id: ${wonIssue}, custom_field: stage, value: 'won')
`
