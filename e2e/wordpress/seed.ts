import type { WordPress } from './start-wordpress.ts'

/** Ids of everything that the site has outside its trash, as its database has them. */
export interface SeededIds {
  posts: number[]
  pages: number[]
  users: number[]
}

/** Fills the site. All posts and pages carry the same second, an hour ago: what pages by time would stumble over. */
export function seed(site: WordPress): Promise<SeededIds> {
  return site.php<SeededIds>(`
    wp_defer_term_counting(true);
    $hour_ago = gmdate('Y-m-d H:i:s', time() - 3600);
    foreach (['post' => 130, 'page' => 30] as $type => $count)
      for ($i = 1; $i <= $count; $i++)
        wp_insert_post(['post_type' => $type, 'post_title' => "$type $i & more", 'post_content' => "Text of $i", 'post_status' => 'publish', 'post_date_gmt' => $hour_ago]);
    for ($i = 1; $i <= 12; $i++)
      wp_insert_user(['user_login' => "user$i", 'user_pass' => 'pw', 'user_email' => "user$i@example.test", 'display_name' => "User $i", 'role' => 'editor']);
    $kept = fn ($type) => get_posts(['numberposts' => -1, 'post_type' => $type, 'post_status' => 'any', 'fields' => 'ids']);
    echo json_encode(['posts' => $kept('post'), 'pages' => $kept('page'), 'users' => array_map('intval', get_users(['fields' => 'ID']))]);`)
}
