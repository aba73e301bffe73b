#include <thread>

#include "process/testing.h"

namespace helve::process {
namespace {

class JobInputTest : public JobsTest {
 protected:
  [[nodiscard]] std::shared_ptr<Job> start_open(const std::string& command, bool terminal = false) {
    auto request = shell_request(directory_, command);
    request.input = JobRequest::Input::kOpen;
    request.terminal = terminal;
    return start(std::move(request));
  }
  // True once the command waits for input.
  [[nodiscard]] static bool waits_for_input(Job& job) {
    return job.wait({}, {}, in(kTestTimeout)) == WaitOutcome::kInput;
  }
};

TEST_F(JobInputTest, WithoutInputReadsEndOfFile) { EXPECT_EQ(text_of(*run("cat; echo end")), "end\n"); }

TEST_F(JobInputTest, PassesTextAndThenEndOfFile) {
  auto request = shell_request(directory_, "wc -c");
  request.input = JobRequest::Input::kText;
  request.input_text = std::string(300'000, 'x');
  const auto job = run(std::move(request));
  EXPECT_EQ(text_of(*job), "300000\n");
}

TEST_F(JobInputTest, ACommandMayIgnoreItsText) {
  auto request = shell_request(directory_, "exec 0<&-; sleep 0.1; echo ok");
  request.input = JobRequest::Input::kText;
  request.input_text = std::string(900'000, 'x');
  EXPECT_EQ(text_of(*run(std::move(request))), "ok\n");
}

TEST_F(JobInputTest, WritesAndEndsTheInput) {
  const auto job = start_open("cat; echo end");
  EXPECT_TRUE(job->write("hello\n", false));
  EXPECT_TRUE(job->write("world\n", true));
  EXPECT_TRUE(job->wait_for_end({}, in(kTestTimeout)));
  EXPECT_EQ(text_of(*job), "hello\nworld\nend\n");
  const auto late = job->write("x", false);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kConflict);
}

TEST_F(JobInputTest, RefusesInputAfterEndOfFile) {
  const auto job = start_open("sleep 300");
  EXPECT_TRUE(job->write("", true));
  const auto more = job->write("x", false);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().message, concat("The input of ", job->id(), " is closed."));
}

TEST_F(JobInputTest, RefusesInputWhenTheQueueIsFull) {
  const auto job = start_open("sleep 300");
  const std::string piece(100'000, 'x');
  int accepted = 0;
  Expected<void> written = {};
  while (accepted < 1000 && (written = job->write(piece, false))) ++accepted;
  ASSERT_FALSE(written);
  EXPECT_LT(accepted, 30);
  EXPECT_THAT(written.error().message, ::testing::HasSubstr("does not read its input"));
  job->kill(milliseconds(0));
  EXPECT_TRUE(job->wait_for_end({}, in(kTestTimeout)));
}

TEST_F(JobInputTest, RecognisesAReadingShell) {
  const auto job = start_open("echo name?; read x; echo hello $x");
  EXPECT_TRUE(waits_for_input(*job));
  const JobStatus status = job->status();
  EXPECT_EQ(status.state, JobState::kWaitingForInput);
  ASSERT_TRUE(status.waiting);
  EXPECT_EQ(status.waiting->program, "bash");
  EXPECT_FALSE(status.waiting->password);
  EXPECT_TRUE(job->write("you\n", false));
  EXPECT_TRUE(job->wait_for_end({}, in(kTestTimeout)));
  EXPECT_EQ(text_of(*job), "name?\nhello you\n");
}

TEST_F(JobInputTest, RecognisesCatAndPython) {
  for (const char* command : {"cat", "python3 -c 'input()'", "{ echo x | (sleep 0.1; cat <&3); } 3<&0"}) {
    const auto job = start_open(command);
    EXPECT_TRUE(waits_for_input(*job)) << command;
    EXPECT_TRUE(job->write("x\n", true));
    EXPECT_TRUE(job->wait_for_end({}, in(kTestTimeout)));
  }
}

TEST_F(JobInputTest, RecognisesPollAndSelectOnlyOnTheInput) {
  for (const char* call :
       {"select.select([0],[],[])", "p=select.poll(); p.register(0,select.POLLIN); p.poll()"}) {
    const auto job = start_open(concat("python3 -c 'import select; ", call, "'"));
    EXPECT_TRUE(waits_for_input(*job)) << call;
  }
}

TEST_F(JobInputTest, SleepingOrWorkingIsNotWaitingForInput) {
  std::vector<std::jthread> threads;  // all at once, each watched while it runs
  for (const char* command :
       {"sleep 2", "timeout 2 bash -c 'while :; do :; done'", "sleep 2 | cat",
        "timeout 2 python3 -c 'import select,os; r,w=os.pipe(); select.select([0,r],[],[])'"})
    threads.emplace_back([this, command] {
      EXPECT_EQ(start_open(command)->wait({}, {}, in(kTestTimeout)), WaitOutcome::kEnded) << command;
    });
}

TEST_F(JobInputTest, AReaderIsNotWaitingWhileAnotherProcessWorks) {
  const auto job = start_open("timeout 2 bash -c 'while :; do :; done' & read x");
  EXPECT_EQ(job->wait({}, {}, in(milliseconds(1500))), WaitOutcome::kTimeout);
}

TEST_F(JobInputTest, ProvidesATerminal) {
  const auto job = start_open("tty -s && echo yes; stty size; [ -t 2 ] && echo err", true);
  EXPECT_TRUE(job->wait_for_end({}, in(kTestTimeout)));
  EXPECT_EQ(text_of(*job), "yes\n24 80\nerr\n");
}

TEST_F(JobInputTest, TheTerminalControlsTheCommand) {
  const auto job =
      start_open("echo to the terminal > /dev/tty; ps -o tpgid= -p $$ | tr -d ' '; echo $$", true);
  EXPECT_TRUE(job->wait_for_end({}, in(kTestTimeout)));
  const std::string text = text_of(*job);
  const auto lines = split(text, '\n');
  ASSERT_GE(lines.size(), 3U) << text;
  EXPECT_EQ(lines[0], "to the terminal");
  EXPECT_EQ(lines[1], lines[2]) << "the command's group is in the foreground";
}

TEST_F(JobInputTest, WithPipesHasNoControllingTerminal) {
  const auto job = run("echo x 2>/dev/null > /dev/tty || echo none");
  EXPECT_THAT(text_of(*job), ::testing::HasSubstr("none"));
}

TEST_F(JobInputTest, EndOfFileOnATerminal) {
  const auto job = start_open("stty -echo; cat; echo end", true);
  ASSERT_TRUE(waits_for_input(*job));
  EXPECT_TRUE(job->write("typed\n", true));
  EXPECT_TRUE(job->wait_for_end({}, in(kTestTimeout)));
  EXPECT_EQ(text_of(*job), "typed\nend\n");
}

TEST_F(JobInputTest, EndOfFileOnATerminalWithinALine) {
  const auto job = start_open("cat >/dev/null; echo over", true);
  ASSERT_TRUE(job->write("no line break", true));
  EXPECT_TRUE(job->wait_for_end({}, in(kTestTimeout)));
  EXPECT_EQ(job->status().exit_code, 0);
}

TEST_F(JobInputTest, RecognisesAPasswordPrompt) {
  const auto job = start_open("read -s -p 'Password: ' x < /dev/tty; echo; echo got $x", true);
  ASSERT_TRUE(waits_for_input(*job));
  ASSERT_TRUE(job->status().waiting);
  EXPECT_TRUE(job->status().waiting->password);
  EXPECT_TRUE(job->write("secret\n", false));
  EXPECT_TRUE(job->wait_for_end({}, in(kTestTimeout)));
  EXPECT_EQ(text_of(*job), "Password: \ngot secret\n");
}

TEST_F(JobInputTest, RecognisesPythonsGetpass) {
  const auto job = start_open("python3 -c 'import getpass; print(len(getpass.getpass()))'", true);
  ASSERT_TRUE(waits_for_input(*job));
  EXPECT_TRUE(job->status().waiting->password);
  EXPECT_TRUE(job->write("12345\n", false));
  EXPECT_TRUE(job->wait_for_end({}, in(kTestTimeout)));
  EXPECT_TRUE(text_of(*job).ends_with("5\n")) << text_of(*job);
}

TEST_F(JobInputTest, AnOrdinaryPromptIsNotAPasswordPrompt) {
  const auto job = start_open("read -p 'Name: ' x", true);
  ASSERT_TRUE(waits_for_input(*job));
  EXPECT_FALSE(job->status().waiting->password);
}

}  // namespace
}  // namespace helve::process
