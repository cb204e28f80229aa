"""The classes of attack beyond the allowlist, and the tests that show each: here by their mark, elsewhere by their names."""

from __future__ import annotations

CLASSES = {
    1: "a link that leads out of the workspace",
    2: "`..` behind a link",
    3: "a folder whose name begins like the workspace",
    4: "a hard link to a file outside",
    5: "doors through a process: /proc and /dev/fd",
    6: "protected names in other spellings",
    7: "a protected file that does not exist yet",
    8: "a place exchanged between the yes and the write",
    9: "a command or folder exchanged between the yes and the run",
    10: "an edit of what was changed since it was read",
    11: "a question that commands the terminal",
    12: "characters that hide or turn round what is asked",
    13: "a long text whose end is out of sight",
    14: "markup in what is shown",
    15: "a risk assessor that obeys what it judges",
    16: "a folder that acts before it is trusted",
    17: "trusted files that change",
    18: "a folder that redirects the key",
    19: "secrets in the environment of commands",
    20: "secrets in logs and stored conversations",
    21: "files that others can read, or planted where xun writes",
    22: "a server of tools that takes the names of others",
    23: "a server of tools that changes what they are",
    24: "output that commands the terminal",
    25: "output without end",
    26: "a fork bomb, a file without end",
    27: "processes that survive a cancel",
    28: "a command that takes the keyboard",
    29: "a folder that the model chooses",
    30: "a second door to a shell",
    31: "git as an interpreter",
    32: "code of the agent's own that is run where there is more than the workspace",
}

LATER = {
    22: "xun speaks to no server of tools yet: there is no name to take",
    23: "the same: there is no definition to pin",
}

ELSEWHERE: dict[int, tuple[str, ...]] = {
    2: ("tests/workspace/test_workspace.py::test_dots_after_a_link_are_judged_by_where_the_link_leads",),
    4: (
        "tests/tools/test_fs_write.py::TestEdit::test_hard_links_to_an_edited_file_are_told_and_keep_their_content",
        "tests/workspace/test_files.py::test_the_other_names_of_a_hard_linked_file_keep_their_contents",
    ),
    5: ("tests/workspace/test_workspace.py::test_doors_through_a_process_are_refused_even_where_they_lead_inside",),
    7: ("tests/exec/sandbox/test_files.py::test_what_is_not_there_yet_cannot_be_made_and_nothing_is_left_of_the_mask",),
    8: (
        "tests/workspace/test_files.py::test_a_folder_swapped_in_the_middle_of_a_write_does_not_redirect_it",
        "tests/workspace/test_files.py::test_a_folder_swapped_for_a_link_after_it_was_resolved_stops_everything",
    ),
    9: ("tests/tools/test_cmd.py::test_the_command_runs_byte_for_byte",),
    10: (
        "tests/tools/test_fs_write.py::TestWrite::test_a_change_that_keeps_size_and_time_is_a_change",
        "tests/tools/test_fs_write.py::TestWrite::test_what_somebody_else_saved_is_not_destroyed",
    ),
    11: ("tests/e2e/test_terminal.py::test_the_whole_command_is_shown_and_nothing_in_it_is_obeyed",),
    12: ("tests/policy/test_property.py::test_no_character_that_hides_passes",),
    13: ("tests/frontends/tui/question/test_panel_shown.py::test_a_yes_counts_only_once_all_of_it_was_in_view",),
    14: (
        "tests/e2e/test_screen.py::test_brackets_are_shown_whole_wherever_they_come_from",
        "tests/architecture/test_no_bare_strings.py::test_no_widget_gets_a_bare_string",
    ),
    15: (
        "tests/agent/test_assessor.py::test_a_model_that_obeys_what_it_judges_has_no_say_in_what_is_hard",
        "tests/agent/test_assessor.py::test_an_obeyed_instruction_in_a_file_settles_no_more_than_a_soft_reason",
        "tests/agent/test_assessor.py::test_what_is_judged_stays_inside_its_quotes",
    ),
    17: (
        "tests/e2e/test_screen_trust.py::test_a_trusted_policy_file_that_changes_asks_again_rule_by_rule",
        "tests/config/project/test_grants.py::test_a_command_whose_text_changes_asks_and_is_offered_again_and_the_others_stay",
    ),
    18: ("tests/e2e/test_trust.py::test_a_trusted_folder_cannot_say_where_keys_go",),
    19: (
        "tests/exec/test_env.py::test_the_real_environment_of_a_child_holds_no_secret",
        "tests/exec/sandbox/test_reach.py::test_the_environment_of_xun_is_not_readable",
    ),
    20: ("tests/e2e/test_trust.py::test_a_key_is_in_no_output_no_log_and_no_file",),
    21: (
        "tests/config/test_paths.py::test_a_planted_link_is_not_followed",
        "tests/sessions/test_store.py::test_a_planted_link_is_never_written_through",
        "tests/exec/test_capture.py::test_the_file_never_follows_a_link_or_replaces_a_file",
    ),
    25: (
        "tests/exec/test_run.py::test_a_flood_is_stopped_in_bounded_memory",
        "tests/exec/test_run.py::test_the_loop_stays_responsive_under_a_flood",
    ),
    26: (
        "tests/exec/sandbox/test_reach.py::test_a_fork_bomb_is_bounded",
        "tests/exec/sandbox/test_reach.py::test_no_file_grows_without_end",
        "tests/exec/sandbox/test_unprivileged.py::test_a_fork_bomb_of_a_user_without_rights_is_bounded",
    ),
    27: (
        "tests/exec/test_run.py::test_no_descendant_survives_a_cancellation",
        "tests/exec/sandbox/test_reach.py::test_nothing_survives_a_cancel",
        "tests/e2e/test_killed.py::test_commands_end_with_a_xun_that_was_killed",
    ),
    28: (
        "tests/exec/test_run.py::test_there_is_no_input_and_no_terminal",
        "tests/exec/test_run.py::test_password_prompts_end_by_themselves",
        "tests/e2e/test_terminal.py::test_a_command_cannot_reach_the_terminal",
        "tests/exec/sandbox/test_reach.py::test_no_key_can_be_typed_into_a_terminal",
    ),
    29: ("tests/tools/test_cmd.py::test_the_folder_must_lie_in_the_workspace",),
    30: (
        "tests/architecture/test_child_processes.py::test_every_place_that_starts_a_process_is_known",
        "tests/commands/test_shell_line.py::test_it_runs_through_the_gate_and_is_told_like_a_call_with_live_output",
    ),
    31: (
        "tests/gate/test_gather.py::test_a_helper_program_runs_and_is_seen_before",
        "tests/gate/test_gather.py::test_configuration_that_starts_something_asks",
        "tests/exec/test_env.py::test_git_status_and_diff_start_nothing_of_the_repository",
    ),
}
